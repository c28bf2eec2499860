// Films of what the page shows, its background too.
import * as store from '../store';
import { t } from '../texts';
import { copyOfStage, nameOf, paintStage, saveFile } from './saving';

// The first that the browser can: MP4 plays everywhere, WebM is what the others record. H.264 by profile and level: High 5.1
// for large pictures, then what is left.
const types = ['video/mp4;codecs=avc1.640033', 'video/mp4;codecs=avc1.42E033', 'video/mp4', 'video/webm;codecs=vp9', 'video/webm;codecs=vp8', 'video/webm'];

export function filmType(can: (type: string) => boolean): string | null {
  return types.find(can) ?? null;
}

// Encoders want an even number of pixels.
const evenly = (pixels: number) => Math.max(2, pixels - (pixels % 2));

let recorder: MediaRecorder | null = null;

function end() {
  recorder = null;
  store.recording.value = false;
}

function record(type: string) {
  const copy = copyOfStage(evenly);
  const parts: Blob[] = [];
  const film = new MediaRecorder(copy.captureStream(60), { mimeType: type, videoBitsPerSecond: 8_000_000 });
  const paint = () => {
    if (recorder !== film) return;
    paintStage(copy);
    requestAnimationFrame(paint);
  };
  film.ondataavailable = ({ data }) => parts.push(data);
  film.onerror = () => store.notify('mistake', t('notice.film-failed')); // what there is so far is saved
  film.onstop = () => {
    const size = parts.reduce((sum, part) => sum + part.size, 0);
    if (size > 0) saveFile(new Blob(parts, { type: type.split(';')[0]! }), nameOf(type.startsWith('video/mp4') ? 'mp4' : 'webm'));
    end();
  };
  film.start(500);
  recorder = film;
  store.recording.value = true;
  requestAnimationFrame(paint);
}

export function toggleFilm() {
  if (recorder) {
    if (recorder.state === 'inactive') end();
    else recorder.stop();
    return;
  }
  const type = typeof MediaRecorder === 'undefined' ? null : filmType((one) => MediaRecorder.isTypeSupported(one));
  if (!type) {
    store.notify('warning', t('notice.no-film'));
    return;
  }
  try {
    record(type);
  } catch {
    end();
    store.notify('mistake', t('notice.film-failed'));
  }
}
