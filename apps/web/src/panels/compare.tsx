// Two scenes or methods side by side, and a table of what accuracy costs.
import { useState } from 'preact/hooks';
import { isByFormulas } from '../actions';
import * as table from '../compare/table';
import { apart, told as twinTold, wish, type Wish } from '../compare/twin';
import { presets } from '../presets';
import { simulationOf } from '../scene/document';
import * as store from '../store';
import { t } from '../texts';
import { Button, Choice, Slider, Stale } from './controls';

const plain: Wish = { scene: '', method: 'rk4', step: 0.02 };

function choose(method: string): Partial<Wish> {
  const info = store.info.value?.methods.find((one) => one.name === method);
  return { method, tolerance: info?.adaptive ? 1e-6 : undefined, step: info && !info.adaptive ? 0.02 : undefined };
}

function Beside({ now }: { now: Wish }) {
  const methods = store.info.value?.methods ?? [];
  const set = (values: Partial<Wish>) => (wish.value = { ...now, ...values });
  return (
    <>
      <Choice name="compare-scene" label={t('compare.scene')} value={now.scene} options={[{ value: '', text: t('compare.same') }, ...presets.map(({ name }) => ({ value: name, text: name }))]} onChange={(scene) => set({ scene })} />
      {!now.scene && <Choice name="compare-method" label={t('method')} value={now.method} options={methods.map(({ name }) => ({ value: name, text: name }))} onChange={(method) => set(choose(method))} />}
      {!now.scene && now.step !== undefined && <Slider name="compare-step" label={t('step')} unit="s" value={now.step} min={1e-4} max={0.1} log typedMin={1e-6} typedMax={1} onChange={(step) => set({ step })} />}
      {!now.scene && now.tolerance !== undefined && <Slider name="compare-tolerance" label={t('tolerance')} value={now.tolerance} min={1e-16} max={1e-2} log typedMin={1e-30} typedMax={0.5} onChange={(tolerance) => set({ tolerance })} />}
      {twinTold.value.refusal && <p class="mistake" data-shows="compare-refusal">{twinTold.value.refusal}</p>}
      {apart.value !== null && <p class="remark" data-shows="compare-apart">{t('compare.apart', { distance: apart.value === 0 ? '0' : apart.value.toExponential(2) })}</p>}
    </>
  );
}

const short = (value: number | null) => (value === null ? '–' : value === 0 ? '0' : value.toExponential(1));

function Costs() {
  const duration = Number(simulationOf(store.scene.value).duration ?? 10);
  const [seconds, setSeconds] = useState(Math.min(10, duration));
  return (
    <>
      <h3>{t('compare.table')}</h3>
      <p class="remark">{t('compare.table.text')}</p>
      <Slider name="compare-seconds" label={t('compare.until')} unit="s" value={seconds} min={1} max={30} step={1} typedMin={1e-3} typedMax={1000} onChange={setSeconds} />
      <Button name="measure-costs" onClick={() => void table.measure(seconds)}>{t(table.measuring.value ? 'compare.again' : 'compare.measure')}</Button>
      {table.refusal.value && <p class="mistake">{table.refusal.value}</p>}
      {table.rows.value.length > 0 && <Stale of={table.of.value} />}
      {table.rows.value.length > 0 && (
        <table class="costs" data-shows="costs">
          <thead>
            <tr>{['method', 'setting', 'error', 'energy', 'evaluations', 'time'].map((name) => <th key={name} scope="col">{t(name === 'error' && isByFormulas() ? 'compare.error.state' : `compare.${name}`)}</th>)}</tr>
          </thead>
          <tbody>
            {table.rows.value.map(({ method, setting, error, energy, evaluations, milliseconds, refusal }) => (
              <tr key={`${method} ${setting}`} title={refusal}>
                <th scope="row">{method}</th>
                <td>{setting}</td>
                {refusal ? <td colSpan={4} class="refused">{refusal.split('\n')[0]}</td> : <><td>{short(error)}</td><td>{short(energy)}</td><td>{evaluations}</td><td>{milliseconds.toFixed(1)}</td></>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

export function ComparePanel() {
  const now = wish.value;
  return (
    <div class="panel">
      <p class="lead">{t('compare.lead')}</p>
      <div class="buttons">
        <Button name="compare" pressed={now !== null} onClick={() => (wish.value = now ? null : plain)}>{t(now ? 'compare.end' : 'compare.begin')}</Button>
      </div>
      {now && <Beside now={now} />}
      <Costs />
    </div>
  );
}
