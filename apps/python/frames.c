// A module of a wheel has no index of the frames that exceptions pass through (.eh_frame_hdr): it packs badly, and the unwinder, which is
// inside as well, makes one of its own where it is told the frames, when the first exception is thrown.
void __register_frame_info(const void* frames, void* object);
void* __deregister_frame_info(const void* frames);

extern const char catena_frames[] __attribute__((visibility("hidden")));  // layout.ld
static void* object[8];                                                   // the unwinder's: six words

__attribute__((constructor(101))) static void register_frames(void) { __register_frame_info(catena_frames, object); }
__attribute__((destructor(101))) static void forget_frames(void) { __deregister_frame_info(catena_frames); }
