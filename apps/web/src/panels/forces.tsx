// Forces, and what chain and links can be told besides: all from the scene's JSON Schema. A law or a field that the core
// gets appears here by itself.
import { useState } from 'preact/hooks';
import * as actions from '../actions';
import type { Json, JsonSchema } from '../engine/protocol';
import { chainsOf, entriesOf } from '../scene/document';
import { forcesOf, kindOf, lawsOf, newForce, put, textOf, valueFrom, type Table } from '../scene/forces';
import * as store from '../store';
import { t, told } from '../texts';
import { Button, Choice, Typed } from './controls';

// What is wrong, without the place in a text that nobody sees.
function placeless(mistakes: string[] | null): string {
  return (mistakes ?? []).map((text) => text.replace(/^[^:]*:(\d+:\d+:)?\s*(error:)?\s*/, '')).join(' ');
}

const quiet = { quiet: true };

function Field(props: { name: string; path: string; schema: JsonSchema; value: Json | undefined; required?: boolean; onChange(value: Json): Promise<string[] | null> }) {
  const { schema } = props;
  const words = told(`field.${props.path.replace(/\.\d+\./, '.')}`, schema.description ?? '');
  if (schema.type === 'boolean') {
    return (
      <label class="check" title={words}>
        <input type="checkbox" role="switch" data-field={props.path} checked={props.value === true} onChange={(event) => void props.onChange(event.currentTarget.checked || null)} />
        <span>{props.name}</span>
      </label>
    );
  }
  return (
    <label class="field" title={words}>
      <span>
        {props.name}
        {props.required && <abbr title={t('required')}>*</abbr>}
      </span>
      <Typed type="text" spellcheck={false} autocomplete="off" data-field={props.path} placeholder={textOf(schema.default as Json | undefined)} value={textOf(props.value)} onCommit={async (text) => placeless(await props.onChange(valueFrom(text)))} />
      <small>{words}</small>
    </label>
  );
}

function OneForce({ force, index }: { force: Table; index: number }) {
  const law = lawsOf(store.info.value?.schema).find((one) => kindOf(one) === force.kind);
  const change = (key: string, value: Json) => actions.theLab().edit((doc) => put(forcesOf(doc)[index]!, key, value), quiet);
  const remove = () =>
    actions.theLab().edit((doc) => {
      const rest = forcesOf(doc).filter((_, i) => i !== index);
      put(doc, 'forces', rest.length ? rest : null);
    });
  return (
    <fieldset class="force">
      <legend>{String(force.kind)}</legend>
      {law?.description && <p class="remark">{told(`law.${String(force.kind)}`, law.description)}</p>}
      {Object.entries(law?.properties ?? {}).filter(([name]) => name !== 'kind').map(([name, schema]) => (
        <Field key={name} name={name} path={`forces.${index}.${name}`} schema={schema} value={force[name]} required={law?.required?.includes(name)} onChange={(value) => change(name, value)} />
      ))}
      <Button name={`remove-force-${index}`} class="button quiet" onClick={remove}>{t('force.remove')}</Button>
    </fieldset>
  );
}

// What other panels do.
const chainElsewhere = ['name', 'kind', 'links', 'formulation', 'plane', 'velocity_damping'];
const linkElsewhere = ['length', 'mass', 'theta', 'phi', 'theta_dot', 'phi_dot', 'theta_step', 'phi_step', 'direction', 'rate', 'repeat', 'parent', 'stiffness', 'stretch', 'stretch_dot'];

function fieldsOf(schema: JsonSchema | undefined, elsewhere: string[]): [string, JsonSchema][] {
  return Object.entries(schema?.properties ?? {}).filter(([name]) => !elsewhere.includes(name));
}

function NewForce() {
  const laws = lawsOf(store.info.value?.schema);
  const [chosen, choose] = useState('');
  const law = laws.find((one) => kindOf(one) === chosen) ?? laws[0];
  if (!law) return null;
  const add = () =>
    actions.theLab().edit((doc) => {
      const chain = chainsOf(doc)[0];
      const body = store.description.value?.bodies.find(({ fixed }) => !fixed);
      const end = !chain && body ? body.name : `${String(chain?.name ?? 'chain')}.1`;
      doc.forces = [...forcesOf(doc), newForce(law, end)];
    });
  return (
    <div class="add-force">
      <Choice name="force-kind" label={t('force.kind')} value={kindOf(law)} options={laws.map((one) => ({ value: kindOf(one), text: kindOf(one) }))} onChange={choose} />
      {law.description && <p class="remark" data-shows="law">{told(`law.${kindOf(law)}`, law.description)}</p>}
      <Button name="add-force" onClick={add}>{t('force.add')}</Button>
    </div>
  );
}

export function ForcesPanel() {
  const doc = store.scene.value;
  const chainSchema = store.info.value?.schema.properties?.chain;
  const chain = chainsOf(doc)[0];
  const link = chain && entriesOf(chain)[0];
  const changeLinks = (name: string, value: Json) =>
    actions.theLab().edit((next) => {
      for (const one of chainsOf(next)) for (const entry of entriesOf(one)) put(entry, name, value);
    }, quiet);
  if (actions.isByFormulas()) return <div class="panel"><p class="lead">{t('forces.formulas')}</p></div>;
  return (
    <div class="panel">
      <p class="lead">{t('forces.lead')}</p>
      {forcesOf(doc).map((force, index) => (
        <OneForce key={index} force={force} index={index} />
      ))}
      <NewForce />
      <h3>{t('chain')}</h3>
      {chain && fieldsOf(chainSchema, chainElsewhere).map(([name, schema]) => (
        <Field key={name} name={name} path={`chain.${name}`} schema={schema} value={chain[name]} onChange={(value) => actions.theLab().edit((next) => put(chainsOf(next)[0]!, name, value), quiet)} />
      ))}
      <h3>{t('links.all')}</h3>
      {link && fieldsOf(chainSchema?.properties?.links?.items, linkElsewhere).map(([name, schema]) => (
        <Field key={name} name={name} path={`links.${name}`} schema={schema} value={link[name]} onChange={(value) => changeLinks(name, value)} />
      ))}
    </div>
  );
}
