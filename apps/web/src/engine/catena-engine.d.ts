// The scripts that Emscripten writes beside the wasm files.
declare module 'catena-engine/catena.js' {
  const create: import('./calls').Create<import('./engine').EngineModule>;
  export default create;
}

declare module 'catena-engine/catena-chaos.js' {
  const create: import('./calls').Create<import('./calls').CallModule>;
  export default create;
}
