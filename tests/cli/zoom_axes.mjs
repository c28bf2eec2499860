// node zoom_axes.mjs zoom.html: runs the page's script on a canvas that writes down what is drawn, and checks that each
// number on its axes stands where the map has it; before and after a turn of the wheel. Prints how many there are.
import { readFileSync } from "node:fs";
import vm from "node:vm";

const page = readFileSync(process.argv[2], "utf8");
const script = page.slice(page.indexOf("<script>") + 8, page.indexOf("</script>"));
const data = JSON.parse(/const d=(.*);\n/.exec(script)[1]);
const listeners = {}, texts = [];
let transform, map;
const context = new Proxy({}, {
  get: (_, name) => ({
    setTransform: (...of) => { transform = of; },
    clearRect: () => { if (transform[0] === 1) texts.length = 0; },
    drawImage: () => { map = transform; },
    fillText: (text, x, y) => { if (text !== "") texts.push({ text, x, y }); },
  })[name] ?? (() => {}),
  set: () => true,
});
const element = () => ({
  style: {}, add() {}, value: 0, clientWidth: 800, clientHeight: 600, getContext: () => context,
  getBoundingClientRect: () => ({ left: 0, top: 0, width: 800 }),
  addEventListener: (name, f) => { listeners[name] = f; }, setPointerCapture() {},
});
const elements = {};
vm.runInNewContext(script, {
  document: { getElementById: (id) => (elements[id] ??= element()), body: {} }, Option: class {}, devicePixelRatio: 1,
  OffscreenCanvas: class { getContext() { return { putImageData() {} }; } },
  ImageData: class { constructor(w, h) { this.data = new Uint8ClampedArray(4 * w * h); } },
  getComputedStyle: () => ({ color: "black" }), addEventListener() {}, atob, Uint8Array, Float32Array, Math,
});

function check() {
  const [scale, , , , left, top] = map;
  const of = (values, v) => (v - values[0]) / (values[1] - values[0]) + 0.5;  // evenly spaced
  let count = 0;
  for (const { text, x, y } of texts) {
    if (Number.isNaN(Number(text))) continue;
    const across = left + scale * of(data.x, Number(text)), up = top + scale * (data.y.length - of(data.y, Number(text)));
    if (Math.abs(x - across) > 1e-6 * 800 && Math.abs(y - up) > 1e-6 * 800) throw new Error(`${text} stands at ${x}, ${y}`);
    ++count;
  }
  for (const label of data.labels) {
    if (!texts.some(({ text }) => text === label)) throw new Error(`no ${label}`);
  }
  return count;
}
const whole = check();
listeners.wheel({ preventDefault() {}, clientX: 400, clientY: 300, deltaY: -700 });
console.log(whole, check());
