// <catena-lab scene="double-pendulum"></catena-lab>: the lab inside another page, which says
// <script src="catena-lab.js"></script>; as a module it works as well.
//
//   scene    a shipped scene's name, the text of a scene (TOML or JSON), or a share link; the text may also stand
//            between the tags, in a <script type="text/plain">
//   panels   "none": the stage alone, without panels and plots
//   theme    "dark" or "light"; left out: as the reader's system
//   language "en" or "ja"; left out: as the reader's browser
//   src      where the lab is; left out: beside this script
//
// Each lab is a document of its own, so that neither page can disturb the other.
{
  // Where this script came from: a module is not the current one, but it is in the page.
  const own = document.currentScript?.src || Array.from(document.scripts, ({ src }) => src).find((src) => /\/catena-lab\.js(\?|#|$)/.test(src));
  const beside = new URL('./index.html', own ?? document.baseURI);

  // Text as the address of a page can hold it.
  const packed = (text) => {
    const bytes = new TextEncoder().encode(text);
    return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  };

  // What a scene attribute means, as a part of the lab's address.
  const wishOf = (scene) => {
    const link = /#(?:.*&)?s=([^&]*)/.exec(scene);
    if (link) return ['s', link[1]];
    if (/[\n=\[{]/.test(scene)) return ['text', packed(scene)];
    return ['scene', scene.trim()];
  };

  class CatenaLab extends HTMLElement {
    static observedAttributes = ['scene', 'panels', 'theme', 'language', 'src'];

    constructor() {
      super();
      const root = this.attachShadow({ mode: 'open' });
      const style = new CSSStyleSheet();
      style.replaceSync(':host { display: block; width: 100%; aspect-ratio: 4 / 3; } iframe { width: 100%; height: 100%; border: 0; display: block; }');
      root.adoptedStyleSheets = [style];
    }

    // What stands between the tags comes after them.
    connectedCallback() {
      if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', () => this.show(), { once: true });
      else this.show();
    }

    attributeChangedCallback() {
      if (this.isConnected) this.show();
    }

    // The address of the lab that shows what the attributes ask for.
    get address() {
      const page = new URL(this.getAttribute('src') ?? beside, document.baseURI);
      const scene = this.getAttribute('scene') ?? this.querySelector('script[type="text/plain"]')?.textContent ?? '';
      const wish = new URLSearchParams(scene.trim() ? [wishOf(scene)] : []);
      for (const name of ['panels', 'theme', 'language']) if (this.hasAttribute(name)) wish.set(name, this.getAttribute(name));
      wish.set('embedded', 'yes');
      page.hash = wish.toString();
      return page.href;
    }

    show() {
      const frame = document.createElement('iframe');
      frame.title = this.getAttribute('title') ?? 'Catena lab';
      frame.loading = 'lazy';
      frame.allow = 'clipboard-write; fullscreen';
      frame.src = this.address;
      this.shadowRoot.replaceChildren(frame);
    }
  }

  if (!customElements.get('catena-lab')) customElements.define('catena-lab', CatenaLab);
}
