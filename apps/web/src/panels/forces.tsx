// Forces and the chain's own settings, from the scene's JSON Schema: a law or a field that the core gets appears here by
// itself.
import { useState } from 'preact/hooks';
import * as actions from '../actions';
import type { Json, JsonSchema, SceneDocument } from '../engine/protocol';
import { chainsOf } from '../scene/document';
import * as store from '../store';
import { t } from '../texts';
import { Button, Choice, Typed } from './controls';

type Table = { [key: string]: Json };

function kindOf(law: JsonSchema): string {
  const kind = law.properties?.kind;
  return String(kind?.const ?? kind?.enum?.[0] ?? '');
}

export function forceLaws(): JsonSchema[] {
  const items = store.info.value?.schema.properties?.forces?.items;
  return items?.oneOf ?? items?.anyOf ?? [];
}

// Numbers, formulas and lists as one writes them in a scene: 0.5, sin(2*t), [0, 0, "t"].
export function valueFrom(text: string): Json {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  try {
    return JSON.parse(trimmed) as Json;
  } catch {
    const list = /^\[(.*)\]$/.exec(trimmed);
    if (list) return list[1]!.split(',').map((item) => valueFrom(item));
    return trimmed;
  }
}

export function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function sizeOf(schema: JsonSchema): number {
  return schema.type === 'array' ? 3 : (schema.anyOf?.some((one) => one.type === 'array') ? 3 : 1);
}

export function Field(props: { name: string; path: string; schema: JsonSchema; value: Json | undefined; required: boolean; onChange(value: Json): void }) {
  const { schema } = props;
  const fallback = schema.default === undefined ? '' : textOf(schema.default as Json);
  if (schema.type === 'boolean') {
    return (
      <label class="check" title={schema.description}>
        <input type="checkbox" role="switch" data-field={props.path} checked={props.value === true} onChange={(event) => props.onChange(event.currentTarget.checked)} />
        <span>{props.name}</span>
      </label>
    );
  }
  return (
    <label class="field" title={schema.description}>
      <span>
        {props.name}
        {props.required && <abbr title={t('required')}>*</abbr>}
      </span>
      <Typed type="text" spellcheck={false} autocomplete="off" data-field={props.path} placeholder={fallback} value={textOf(props.value)} onCommit={(text) => props.onChange(valueFrom(text))} />
      <small lang="en">{schema.description}</small>
    </label>
  );
}

function put(table: Table, key: string, value: Json) {
  if (value === null) delete table[key];
  else table[key] = value;
}

function forcesOf(doc: SceneDocument): Table[] {
  return (doc.forces ?? []) as Table[];
}

// A value for each field that must be given, so that a new law can be tried at once.
function firstValue(name: string, schema: JsonSchema): Json {
  if (schema.default !== undefined) return schema.default as Json;
  if (schema.enum) return schema.enum[0]!;
  if (sizeOf(schema) > 1 || schema.type === 'array') return name === 'between' ? ['chain.1', [1, 0, 0]] : [0, 0, 0];
  return name === 'potential' ? '0' : 1;
}

function newForce(law: JsonSchema): Table {
  const out: Table = { kind: kindOf(law) };
  for (const name of law.required ?? []) if (name !== 'kind') out[name] = firstValue(name, law.properties![name]!);
  return out;
}

function OneForce({ force, index }: { force: Table; index: number }) {
  const law = forceLaws().find((one) => kindOf(one) === force.kind);
  const change = (key: string, value: Json) => actions.theLab().edit((doc) => put(forcesOf(doc)[index]!, key, value));
  return (
    <fieldset class="force">
      <legend>{String(force.kind)}</legend>
      {law?.description && <p class="remark" lang="en">{law.description}</p>}
      {Object.entries(law?.properties ?? {}).filter(([name]) => name !== 'kind').map(([name, schema]) => (
        <Field key={name} name={name} path={`forces.${index}.${name}`} schema={schema} value={force[name]} required={law?.required?.includes(name) ?? false} onChange={(value) => change(name, value)} />
      ))}
      <Button name={`remove-force-${index}`} class="button quiet" onClick={() => actions.theLab().edit((doc) => {
        const rest = forcesOf(doc).filter((_, i) => i !== index);
        if (rest.length) doc.forces = rest;
        else delete doc.forces;
      })}>
        {t('force.remove')}
      </Button>
    </fieldset>
  );
}

// What the chain itself can be told, but for what other panels do.
const elsewhere = ['name', 'kind', 'links', 'formulation', 'plane', 'velocity_damping'];

export function ForcesPanel() {
  const laws = forceLaws();
  const [chosen, choose] = useState('');
  const doc = store.scene.value;
  const chain = chainsOf(doc)[0];
  const fields = Object.entries(store.info.value?.schema.properties?.chain?.properties ?? {}).filter(([name]) => !elsewhere.includes(name));
  const law = laws.find((one) => kindOf(one) === (chosen || kindOf(laws[0]!)));
  return (
    <div class="panel">
      <p class="lead">{t('forces.lead')}</p>
      {forcesOf(doc).map((force, index) => (
        <OneForce key={index} force={force} index={index} />
      ))}
      {laws.length > 0 && (
        <div class="add-force">
          <Choice name="force-kind" label={t('force.kind')} value={chosen || kindOf(laws[0]!)} options={laws.map((one) => ({ value: kindOf(one), text: kindOf(one) }))} onChange={choose} />
          {law?.description && <p class="remark" lang="en">{law.description}</p>}
          <Button name="add-force" onClick={() => law && actions.theLab().edit((next) => (next.forces = [...forcesOf(next), newForce(law)]))}>
            {t('force.add')}
          </Button>
        </div>
      )}
      <h3>{t('chain')}</h3>
      {chain && fields.map(([name, schema]) => (
        <Field key={name} name={name} path={`chain.${name}`} schema={schema} value={chain[name]} required={false} onChange={(value) => actions.theLab().edit((next) => put(chainsOf(next)[0]!, name, value))} />
      ))}
    </div>
  );
}
