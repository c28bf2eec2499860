// Scenes with their pictures, in groups, to search.
import { useEffect, useRef, useState } from 'preact/hooks';
import { signal } from '@preact/signals';
import * as actions from '../actions';
import { Button } from '../panels/controls';
import * as store from '../store';
import { t } from '../texts';
import { figureOf, type Figure } from './figure';
import { forget, found, galleryOpen, groups, isOwn, keepOwn, open, own, type Item } from './shelf';

const figures = signal(new Map<string, Figure | null>()); // by text
let drawing = false;

// One after the other, while the engine has nothing else to do.
async function drawMissing(texts: string[]) {
  if (drawing) return;
  drawing = true;
  for (const text of texts) {
    if (!galleryOpen.value) break;
    if (figures.value.has(text)) continue;
    const { answered } = await actions.theLab().tryOut({ do: 'check', text, source: 'scene.toml' });
    figures.value = new Map(figures.value).set(text, answered && figureOf(answered.answer));
  }
  drawing = false;
}

function Picture({ text }: { text: string }) {
  const figure = figures.value.get(text);
  if (!figure) return <svg class="figure" viewBox="0 0 3 2" aria-hidden="true" />;
  const [x, y, width, height] = figure.box;
  const line = width / 90;
  return (
    <svg class="figure" viewBox={`${x} ${y} ${width} ${height}`} aria-hidden="true">
      {figure.strokes.map(({ kind, points, text: written }, i) => {
        if (kind === 'text') return <text key={i} x={0} y={4} text-anchor="middle" font-size={12}>{written}</text>;
        if (points.length === 1) return <circle key={i} class={kind} cx={points[0]![0]} cy={points[0]![1]} r={(kind === 'bob' ? 2 : 1.6) * line} />;
        return <path key={i} class={kind} stroke-width={(kind === 'link' ? 1.2 : 1.4) * line} d={`M${points.map((p) => p.join(' ')).join('L')}${points.length > 2 ? 'Z' : ''}`} />;
      })}
    </svg>
  );
}

function Entry({ item }: { item: Item }) {
  return (
    <li>
      <button type="button" class="entry" data-scene={item.name} onClick={() => void open(item)}>
        <Picture text={item.text} />
        <strong>{item.name}</strong>
        <small>{item.summary}</small>
      </button>
      {item.group === 'own' && <button type="button" class="icon small forget" aria-label={t('gallery.forget', { name: item.name })} onClick={() => forget(item.name)}>×</button>}
    </li>
  );
}

function KeepOwn() {
  const [name, setName] = useState('');
  const valid = /^[A-Za-z][\w-]*$/.test(name);
  return (
    <div class="buttons">
      <input type="text" data-control="own-name" placeholder={t('gallery.name')} aria-label={t('gallery.name')} value={name} onInput={(event) => setName(event.currentTarget.value.trim().replace(/\s+/g, '-'))} />
      <Button name="keep-own" disabled={!valid} onClick={() => keepOwn(name)}>{t(isOwn(name) ? 'gallery.replace' : 'gallery.keep')}</Button>
    </div>
  );
}

export function Gallery() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [words, setWords] = useState('');
  const isOpen = galleryOpen.value;
  const items = isOpen ? found(words) : [];
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  useEffect(() => {
    if (isOpen) void drawMissing(items.map(({ text }) => text));
  }, [isOpen, words, own.value, store.description.value === null]);
  return (
    <dialog ref={dialog} class="gallery" aria-label={t('gallery')} onClose={() => (galleryOpen.value = false)}>
      {isOpen && (
        <>
          <div class="gallery-head">
            <h2>{t('gallery')}</h2>
            <input type="search" data-control="gallery-search" aria-label={t('gallery.search')} placeholder={t('gallery.search')} value={words} onInput={(event) => setWords(event.currentTarget.value)} />
            <Button name="close-gallery" class="icon" title={t('key.close')} onClick={() => (galleryOpen.value = false)}>×</Button>
          </div>
          <p class="remark">{t('gallery.text')}</p>
          <KeepOwn />
          {groups.map((group) => {
            const inside = items.filter((item) => item.group === group);
            return inside.length > 0 && (
              <section key={group}>
                <h3>{t(`gallery.${group}`)}</h3>
                <ul class="entries">{inside.map((item) => <Entry key={`${group} ${item.name}`} item={item} />)}</ul>
              </section>
            );
          })}
          {!items.length && <p role="status">{t('gallery.none')}</p>}
        </>
      )}
    </dialog>
  );
}
