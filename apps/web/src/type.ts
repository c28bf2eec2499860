// How much larger type is on this screen than on a small one: what is drawn by hand grows with the page's own texts.
export const typeScale = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 14;
