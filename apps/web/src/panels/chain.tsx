// The classic controls.
import { useRef } from 'preact/hooks';
import * as actions from '../actions';
import { presets } from '../presets';
import { dampingOf, gravityOf, isElastic, stiffnessOf } from '../scene/document';
import * as store from '../store';
import { t, told } from '../texts';
import { Check, Slider } from './controls';

export function energyText(joules: number): string {
  return `${Number(joules.toPrecision(4))} J`;
}

// Where the slider of a number ends that was this at first: from nothing to twice as much.
function rangeOf(first: number): [number, number] {
  return first === 0 ? [-1, 1] : [Math.min(0, 2 * first), Math.max(0, 2 * first)];
}

// Numbers that formulas name, each on a slider.
function Parameters() {
  const description = store.description.value!;
  const scene = `${description.name} ${description.coordinates.map(({ name }) => name).join()}`;
  const first = useRef({ scene: '', values: new Map<string, number>() });
  if (first.current.scene !== scene) first.current = { scene, values: new Map() };
  return (
    <>
      {description.parameters.map(({ name, value }) => {
        const { values } = first.current;
        if (!values.has(name)) values.set(name, value);
        const [min, max] = rangeOf(values.get(name)!);
        return <Slider key={name} name={`parameter-${name}`} label={name} value={value} min={min} max={max} step={(max - min) / 1000} typedMin={-1e12} typedMax={1e12} onChange={(now) => actions.changeParameter(name, now)} />;
      })}
    </>
  );
}

export function ChainPanel() {
  const doc = store.scene.value;
  const elastic = isElastic(doc);
  const change = store.conversion.value;
  const chains = actions.hasChains();
  const formulas = actions.isByFormulas();
  const preset = presets.find(({ name }) => name === store.presetName.value);
  const about = preset && told(`scene.${preset.name}`, preset.summary);
  const thrown = store.throwing.value;
  return (
    <div class="panel">
      {about && <p class="lead" data-shows="scene">{about}</p>}
      {!chains && <p class="remark" role="note" data-shows="mechanism">{t(actions.isFirstOrder() ? 'equations.note' : formulas ? 'lagrangian.note' : 'mechanism.note')}</p>}
      {formulas && <Parameters />}
      {!formulas && <Slider name="links" label={t('links')} value={actions.linkCount()} min={1} max={10} step={1} typedMax={actions.mostLinks} hint={t('links.hint')} onChange={actions.setLinks} />}
      {!formulas && <Slider name="gravity" label={t('gravity')} unit="m/s²" value={gravityOf(doc)} min={0} max={20} step={0.01} typedMin={-1000} typedMax={1000} onChange={actions.changeGravity} />}
      {!formulas && actions.hasDamping() && <Slider name="damping" disabled={!chains} label={t('damping')} unit="1/s" value={dampingOf(doc)} min={0} max={1.2} step={0.01} typedMax={1000} hint={t('damping.hint')} onChange={actions.changeDamping} />}
      <Slider name="speed" label={t('speed')} unit="×" value={store.speed.value} min={0.1} max={5} step={0.1} typedMin={actions.slowest} typedMax={10} hint={t('speed.hint')} onChange={actions.setSpeed} />
      {!formulas && <Check name="elastic" label={t('elastic')} checked={elastic} disabled={!chains} hint={t('elastic.hint')} onChange={actions.changeElastic} />}
      {!formulas && <Slider name="stiffness" label={t('stiffness')} unit="N/m" value={elastic ? (stiffnessOf(doc) ?? store.stiffness.value) : store.stiffness.value} min={10} max={100000} log typedMin={0.01} typedMax={1e9} disabled={!elastic} onChange={actions.changeStiffness} />}
      {change && (
        <p class="remark" role="status" data-shows="conversion">
          {t(Math.abs(change.after - change.before) < 1e-9 * (1 + Math.abs(change.before)) ? 'conversion.exact' : 'conversion.change', {
            before: energyText(change.before),
            after: energyText(change.after),
            change: energyText(change.after - change.before),
          })}
        </p>
      )}
      {thrown && (
        <p class="remark" role="status" data-shows="thrown">
          {t('hand.work', { before: energyText(thrown.before), after: energyText(thrown.after), change: energyText(thrown.after - thrown.before) })}
        </p>
      )}
      <div class="checks">
        <Check name="trace" label={t('trace')} checked={store.trace.value} onChange={actions.setTrace} />
        <Check name="ghost" label={t('ghost')} checked={store.ghosts.value.length > 0} hint={t('ghost.hint')} onChange={() => actions.toggleGhost()} />
        {!formulas && <Check name="strain" label={t('strain')} checked={store.strainColors.value} disabled={!elastic} onChange={(on) => (store.strainColors.value = on)} />}
      </div>
    </div>
  );
}
