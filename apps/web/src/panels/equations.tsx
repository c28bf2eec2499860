// The equations of what is on the screen, as the engine derives them. The part under the pointer is marked in them, and
// a symbol under the pointer marks its part.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import * as actions from '../actions';
import type { EquationSection } from '../engine/protocol';
import { parametersFrom, piecesOf, type Piece } from '../scene/formula';
import * as store from '../store';
import { languages, language, t } from '../texts';
import { Check } from './controls';

const numbersIn = signal(false);

// Labels of links and names of bodies, in the order of things.
function partNames(): string[] {
  const drawing = store.description.value?.drawing;
  return drawing ? [...drawing.chains.flatMap(({ links }) => links.map(({ label }) => label)), ...drawing.bodies.map(({ name }) => name)] : [];
}

function Symbol({ piece, marked, parts }: { piece: Piece; marked: string | undefined; parts: string[] }) {
  const { kind, text, lower, raised, part } = piece;
  const point = (on: boolean) => part && actions.point(on ? parts.indexOf(part) : null);
  return (
    <span class={`piece ${kind}${part !== undefined && part === marked ? ' marked' : ''}`} data-part={part} onPointerEnter={() => point(true)} onPointerLeave={() => point(false)}>
      {text}
      {(lower || raised) && (
        <span class="scripts">
          <sup>{raised}</sup>
          <sub>{lower}</sub>
        </span>
      )}
    </span>
  );
}

function Formula(props: { text: string; parts: string[]; values: Map<string, number>; marked: string | undefined }) {
  return <>{piecesOf(props.text, props.parts, props.values).map((piece, i) => <Symbol key={i} piece={piece} marked={props.marked} parts={props.parts} />)}</>;
}

// The engine's own words, in the page's language.
function wordsOf(text: string): string {
  const own = languages[language.value]?.texts[`equations.${text}`];
  if (own) return own;
  const joint = /^Joint (.*) \((.*)\)$/.exec(text);
  if (joint) return t('equations.joint', { name: joint[1]!, kind: t(`joint.${joint[2]!}`) });
  const body = /^Body (.*)$/.exec(text);
  if (body) return t('equations.body', { name: body[1]! });
  const besides = /^besides, what acts in (.*)$/.exec(text);
  return besides ? t('equations.besides', { names: besides[1]! }) : text;
}

function Section({ section, parts, values, marked }: { section: EquationSection; parts: string[]; values: Map<string, number>; marked: string | undefined }) {
  const shared = { parts, values, marked };
  return (
    <>
      <h4>{wordsOf(section.title)}</h4>
      {section.note && <p class="remark">{['Coordinates', 'Parameters'].includes(section.title) ? <Formula text={section.note} {...shared} values={new Map()} /> : wordsOf(section.note)}</p>}
      {section.lines.map(([left, right], i) => (
        <p class="derived" key={i}>
          <Formula text={left} {...shared} /> <span class="piece sign">=</span> <Formula text={right} {...shared} />
        </p>
      ))}
    </>
  );
}

// `general`: the form that all systems of this kind have; it stands alone where equations cannot be written out.
export function SceneEquations({ general }: { general: preact.ComponentChildren }) {
  const [answer, setAnswer] = useState<{ sections: EquationSection[]; reason?: string } | null>(null);
  const scene = store.description.value?.scene;
  const key = scene ? JSON.stringify(scene) : '';
  useEffect(() => {
    if (!key) return;
    let current = true;
    actions.theLab().ask({ do: 'equations' }).then((found) => current && setAnswer(found)).catch(() => undefined);
    return () => {
      current = false;
    };
  }, [key]);
  const parts = partNames();
  const pointed = store.pointed.value;
  const marked = pointed === null ? undefined : parts[pointed];
  const parameters = parametersFrom(answer?.sections.find(({ title }) => title === 'Parameters')?.note ?? '');
  const values = numbersIn.value ? parameters : new Map<string, number>();
  return (
    <div data-shows="equations">
      {general}
      {answer && answer.sections.length > 0 && (
        <>
          {parameters.size > 0 && <Check name="numbers" label={t('equations.numbers')} checked={numbersIn.value} onChange={(on) => (numbersIn.value = on)} />}
          {answer.sections.map((section) => <Section key={section.title} section={section} parts={parts} values={values} marked={marked} />)}
        </>
      )}
      {answer?.reason && <p class="remark" data-shows="no-equations">{t('equations.none')} <span lang="en">{answer.reason}</span></p>}
    </div>
  );
}
