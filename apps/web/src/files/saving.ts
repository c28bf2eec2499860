// Files that the browser saves, and pictures for them.
import * as actions from '../actions';
import * as store from '../store';

export function nameOf(ending: string): string {
  return `${store.presetName.value || 'chain'}.${ending}`;
}

export function saveFile(content: Blob, name: string) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export function savePng(picture: HTMLCanvasElement, name: string) {
  picture.toBlob((blob) => blob && saveFile(blob, name), 'image/png');
}

// A canvas that is transparent, on a background; as large as may be where the other has another shape.
export function paintOn(copy: HTMLCanvasElement, canvas: HTMLCanvasElement, background: string) {
  const pen = copy.getContext('2d')!;
  pen.fillStyle = background || '#fff';
  pen.fillRect(0, 0, copy.width, copy.height);
  const scale = Math.abs(copy.width - canvas.width) < 2 && Math.abs(copy.height - canvas.height) < 2 ? 1 : Math.min(copy.width / canvas.width, copy.height / canvas.height);
  pen.drawImage(canvas, scale === 1 ? 0 : (copy.width - scale * canvas.width) / 2, scale === 1 ? 0 : (copy.height - scale * canvas.height) / 2, scale * canvas.width, scale * canvas.height);
}

export function paintStage(copy: HTMLCanvasElement) {
  const { canvas } = actions.theView();
  paintOn(copy, canvas, getComputedStyle(canvas.parentElement!).getPropertyValue('--stage'));
}

// The picture on the page's own background; `size`: of each side, from the picture's own.
export function copyOfStage(size = (pixels: number) => pixels): HTMLCanvasElement {
  const { canvas } = actions.theView();
  const copy = document.createElement('canvas');
  copy.width = size(canvas.width);
  copy.height = size(canvas.height);
  paintStage(copy);
  return copy;
}
