// The few kinds of controls that all panels are made of.
import { h, type ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import type { SceneDocument } from '../engine/protocol';
import { isStale } from '../store';
import { t } from '../texts';

export interface SliderProps {
  label: string;
  value: number;
  min: number;
  max: number;
  step?: number;
  log?: boolean;
  zero?: boolean; // a logarithmic slider at its lower end means none at all
  unit?: string;
  hint?: string;
  disabled?: boolean;
  typedMin?: number; // what may be typed goes beyond the slider
  typedMax?: number;
  onChange(value: number): unknown;
  name: string;
}

const steps = 1000; // of a logarithmic slider

function fitting(value: number): string {
  return Number(value.toPrecision(5)).toString();
}

interface TypedProps {
  value: string;
  type?: 'number' | 'text';
  // What is wrong with the text, or nothing; later, where the engine has to say so.
  onCommit(text: string): string | null | void | Promise<string | null | void>;
  [attribute: string]: unknown;
}

// A box to type in. What is being typed stays, however often the value behind it changes meanwhile; what was refused
// stays as well, with the reason beside it.
export function Typed({ value, type = 'number', onCommit, ...rest }: TypedProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [mistake, setMistake] = useState<string | null>(null);
  const committed = useRef<string | null>(null);
  const textOf = (event: Event) => (event.currentTarget as HTMLInputElement).value;
  const commit = async (text: string) => {
    committed.current = text;
    const wrong = (await onCommit(text)) || null;
    if (committed.current !== text) return; // another text since
    setMistake(wrong);
    if (!wrong) setTyped((now) => (now === text ? null : now));
  };
  return (
    <>
      {h('input', {
        ...rest,
        // A box for numbers forgets what is no number: then it could not be said what is wrong with it.
        type: 'text',
        inputmode: type === 'number' ? 'decimal' : undefined,
        value: typed ?? value,
        'aria-invalid': mistake ? true : undefined,
        'aria-describedby': mistake ? id : undefined,
        onInput: (event: Event) => {
          committed.current = null;
          setTyped(textOf(event));
          setMistake(null);
        },
        onKeyDown: (event: KeyboardEvent) => {
          if (event.key !== 'Escape') return;
          setTyped(null);
          setMistake(null);
        },
        onChange: (event: Event) => void commit(textOf(event)),
        onBlur: (event: Event) => {
          if (typed !== null && committed.current !== textOf(event)) void commit(textOf(event));
        },
      })}
      {mistake && <small class="mistake" id={id} role="alert" data-shows="field-mistake">{mistake}</small>}
    </>
  );
}

// A number as it may be typed, within its limits, or what is wrong with it.
export function numberFrom(text: string, min = -Infinity, max = Infinity): { value: number } | { mistake: string } {
  const value = Number(text.trim().replace(',', '.'));
  if (text.trim() === '' || !Number.isFinite(value)) return { mistake: t('field.no-number') };
  if (value < min || value > max) return { mistake: t('field.outside', { min, max }) };
  return { value };
}

// Said of what was computed, where the scene is another one by now.
export function Stale({ of }: { of: SceneDocument | null }) {
  return isStale(of) ? <p class="remark warning" data-shows="stale">{t('stale')}</p> : null;
}

export function Slider(props: SliderProps) {
  const id = useId();
  const { min, max, log, value } = props;
  const inside = Math.min(max, Math.max(min, value));
  const position = log ? (steps * Math.log(inside / min)) / Math.log(max / min) : inside;
  const slide = (at: number) => props.onChange(!log ? at : at <= 0 && props.zero ? 0 : Number((min * (max / min) ** (at / steps)).toPrecision(3)));
  const type = (text: string): string | null => {
    const typed = numberFrom(text, props.typedMin ?? min, props.typedMax ?? max);
    if ('mistake' in typed) return typed.mistake;
    props.onChange(typed.value);
    return null;
  };
  return (
    <div class="control" title={props.hint}>
      <label for={id}>
        {props.label}
        {props.unit && <span class="unit">{props.unit}</span>}
      </label>
      <input id={id} type="range" data-control={props.name} min={log ? 0 : min} max={log ? steps : max} step={log ? 1 : (props.step ?? 'any')} value={position} disabled={props.disabled} aria-valuetext={fitting(value)} onInput={(event) => slide(Number(event.currentTarget.value))} />
      <Typed class="typed" data-typed={props.name} aria-label={props.label} value={fitting(value)} disabled={props.disabled} onCommit={type} />
    </div>
  );
}

export function Check(props: { label: string; checked: boolean; name: string; hint?: string; disabled?: boolean; onChange(checked: boolean): void }) {
  return (
    <label class="check" title={props.hint}>
      <input type="checkbox" role="switch" data-control={props.name} checked={props.checked} disabled={props.disabled} onChange={(event) => props.onChange(event.currentTarget.checked)} />
      <span>{props.label}</span>
    </label>
  );
}

export function Choice(props: { label: string; value: string; name: string; options: { value: string; text: string }[]; onChange(value: string): void }) {
  const id = useId();
  return (
    <div class="control choice">
      <label for={id}>{props.label}</label>
      <select id={id} data-control={props.name} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {props.options.map(({ value, text }) => (
          <option key={value} value={value} selected={value === props.value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

export function Button(props: { name: string; children: ComponentChildren; title?: string; pressed?: boolean; class?: string; disabled?: boolean; onClick(): void }) {
  return (
    <button type="button" class={props.class ?? 'button'} data-action={props.name} title={props.title} aria-label={props.title} aria-pressed={props.pressed} disabled={props.disabled} onClick={props.onClick}>
      {props.children}
    </button>
  );
}

const paths: Record<string, string> = {
  run: 'M7 4.5v15l12-7.5z',
  stop: 'M7 5h3.5v14H7zM13.5 5H17v14h-3.5z',
  forward: 'M6 5l9 7-9 7zM16.5 5H19v14h-2.5z',
  back: 'M18 5l-9 7 9 7zM5 5h2.5v14H5z',
  reset: 'M12 5V1.5L6.5 6.5 12 11.5V8a5 5 0 1 1-5 5H4a8 8 0 1 0 8-8z',
  undo: 'M9 5 3.5 10.5 9 16v-3.6h4.5a3.6 3.6 0 0 1 0 7.2H9V22h4.5a6 6 0 0 0 0-12H9z',
  redo: 'M15 5l5.5 5.5L15 16v-3.6h-4.5a3.6 3.6 0 0 0 0 7.2H15V22h-4.5a6 6 0 0 1 0-12H15z',
  more: 'M5 10h4v4H5zM10 10h4v4h-4zM15 10h4v4h-4z',
  plus: 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  help: 'M11 17h2.2v2.2H11zM12 4.5a4.6 4.6 0 0 0-4.6 4.6h2.3a2.3 2.3 0 1 1 4.6 0c0 2.2-3.4 2-3.4 6h2.3c0-2.6 3.4-3 3.4-6A4.6 4.6 0 0 0 12 4.5z',
  sun: 'M12 7.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM11 1.5h2v3h-2zM11 19.5h2v3h-2zM1.5 11h3v2h-3zM19.5 11h3v2h-3zM4 5.4 5.4 4l2.1 2.1-1.4 1.4zM16.5 17.9l1.4-1.4L20 18.6 18.6 20zM4 18.6l2.1-2.1 1.4 1.4L5.4 20zM16.5 6.1 18.6 4 20 5.4l-2.1 2.1z',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  tour: 'M12 2 4 6v6c0 5 3.4 8.7 8 10 4.6-1.3 8-5 8-10V6zm-1 13.5-3.5-3.5L9 10.5l2 2 4.5-4.5L17 9.5z',
  gallery: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
  fit: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
};

export function Icon({ name }: { name: string }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" focusable="false">
      <path fill="currentColor" d={paths[name]} />
    </svg>
  );
}
