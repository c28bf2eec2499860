// The scene as a text of one's own: checked while it is typed, with what is wrong at its lines. What is drawn appears in it, and
// remarks and all that cannot be drawn stay as they are written.
import { useEffect, useRef, useState } from 'preact/hooks';
import * as actions from '../actions';
import * as builder from '../build/builder';
import type { SceneDocument } from '../engine/protocol';
import { gestureOf } from '../gestures';
import { rewritten, toToml } from '../scene/toml';
import * as store from '../store';
import { t } from '../texts';

const pause = 300; // ms after the last key

interface Wrong {
  line: number; // 0: of the whole
  text: string;
}

function wrongOf(text: string): Wrong {
  const place = /^[^:\s]*:(\d+):(\d+):\s*(.*)$/s.exec(text);
  return place ? { line: Number(place[1]), text: place[3]! } : { line: 0, text };
}

// What the text was last known to say.
interface Known {
  text: string;
  scene: SceneDocument;
}

async function textFor(known: Known | null, scene: SceneDocument): Promise<string> {
  const whole = toToml(scene);
  if (!known || known.text === toToml(known.scene)) return whole;
  const kept = rewritten(known.text, known.scene, scene);
  // Where the text is written in a way that is not understood here, the engine finds that it says something else.
  const { answered } = await actions.theLab().tryOut({ do: 'check', text: kept, source: 'scene.toml' });
  return answered && JSON.stringify(answered.answer.scene) === JSON.stringify(scene) ? kept : whole;
}

export function TextPane() {
  const [open, setOpen] = useState(false);
  return (
    <details class="text-pane" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary data-action="open-text">{t('build.text')}</summary>
      {open && <Editor />}
    </details>
  );
}

function Editor() {
  const scene = store.scene.value;
  const [text, setText] = useState(() => toToml(scene));
  const [wrong, setWrong] = useState<Wrong[]>([]);
  const [behind, setBehind] = useState(false); // what is typed is no scene, and the drawing is another one by now
  const known = useRef<Known | null>({ text, scene });
  const timer = useRef(0);
  const gesture = useRef(0);
  const box = useRef<HTMLTextAreaElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const typing = useRef(false);

  // What was drawn elsewhere.
  useEffect(() => {
    if (typing.current || known.current?.scene === scene) return;
    if (wrong.length) {
      setBehind(true); // nobody loses what is half typed
      return;
    }
    let stale = false;
    void textFor(known.current, scene).then((fresh) => {
      if (stale) return;
      known.current = { text: fresh, scene };
      setText(fresh);
      setWrong([]);
    });
    return () => {
      stale = true;
    };
  }, [scene]);

  const send = async (typed: string) => {
    typing.current = true;
    const mistakes = await actions.theLab().build(typed, { gesture: gesture.current });
    typing.current = false;
    if (box.current?.value !== typed) return; // more was typed meanwhile
    setWrong((mistakes ?? []).map(wrongOf));
    if (!mistakes) {
      setBehind(false);
      known.current = { text: typed, scene: store.scene.value };
      builder.selection.value = [];
    }
  };

  const takeDrawing = () => {
    const fresh = toToml(scene);
    known.current = { text: fresh, scene };
    setText(fresh);
    setWrong([]);
    setBehind(false);
  };

  const lines = text.split('\n').length;
  const goTo = (line: number) => {
    const area = box.current!;
    const start = text.split('\n').slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
    area.focus();
    area.setSelectionRange(start, start + (text.split('\n')[line - 1]?.length ?? 0));
    area.scrollTop = (line - 3) * (area.scrollHeight / lines);
  };
  return (
    <div class="editor">
      <p class="remark">{t('build.text.text')}</p>
      <div class="lines">
        <div class="gutter" ref={gutter} aria-hidden="true">
          {Array.from({ length: lines }, (_, i) => <span key={i} class={wrong.some(({ line }) => line === i + 1) ? 'bad' : ''}>{i + 1}</span>)}
        </div>
        <textarea ref={box} data-control="text" aria-label={t('build.text')} aria-invalid={wrong.length > 0} spellcheck={false} autocapitalize="off" autocomplete="off" wrap="off" value={text}
          onFocus={() => (gesture.current = gestureOf('build'))}
          onScroll={(event) => (gutter.current!.scrollTop = event.currentTarget.scrollTop)}
          onInput={(event) => {
            const typed = event.currentTarget.value;
            setText(typed);
            clearTimeout(timer.current);
            timer.current = window.setTimeout(() => void send(typed), pause);
          }} />
      </div>
      {behind && <p class="remark warning" data-shows="text-behind">{t('build.text.behind')} <button type="button" class="link" data-action="take-drawing" onClick={takeDrawing}>{t('build.text.take')}</button></p>}
      <ul class="wrongs" role="status" data-shows="text-mistakes">
        {wrong.map(({ line, text: reason }, i) => (
          <li key={i} class="mistake">
            {line > 0 && <button type="button" class="link" onClick={() => goTo(line)}>{t('build.line', { line })}</button>} {reason}
          </li>
        ))}
      </ul>
    </div>
  );
}
