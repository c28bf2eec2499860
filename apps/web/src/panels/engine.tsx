// Method, accuracy, and what they achieve.
import * as actions from '../actions';
import { simulationOf } from '../scene/document';
import * as store from '../store';
import { language, t, told } from '../texts';
import { energyText } from './chain';
import { Button, Check, Choice, Slider } from './controls';

function Bar({ label, value, from, scale, kind }: { label: string; value: number; from: number; scale: number; kind: string }) {
  const part = scale > 0 ? (value - from) / scale : 0;
  return (
    <div class="bar">
      <span class="name">{label}</span>
      <div class="track">
        <div class={`fill ${kind}`} data-energy={kind} data-value={value} style={{ width: `${Math.min(100, Math.max(0, 100 * part))}%` }} />
      </div>
      <span class="value" data-shows={`energy-${kind}`}>
        {energyText(value)}
      </span>
    </div>
  );
}

// The lowest potential energy: all links hanging straight down; with bodies, the lowest so far.
function lowest(): number {
  if (store.description.value?.bodies.length || !actions.hasChains()) return actions.theLab().floor;
  return (store.description.value?.chains ?? []).reduce((sum, chain) => {
    const below: number[] = [];
    const g = store.description.value!.weight_scale / chain.mass.reduce((total, m, k) => total + m * chain.length[k]!, 0);
    chain.parent.forEach((parent, k) => below.push((parent < 0 ? -chain.pivot[2] : below[parent]!) + chain.length[k]!));
    return sum - below.reduce((total, depth, k) => total + chain.mass[k]! * g * depth, 0);
  }, 0);
}

export function EnergyBars() {
  const live = store.live.value;
  const floor = lowest();
  const scale = Math.max(live.kinetic + live.potential - floor + live.elastic + live.dissipated, 1e-12);
  return (
    <div class="bars" role="group" aria-label={t('energies')}>
      <Bar kind="kinetic" label={t('kinetic')} value={live.kinetic} from={0} scale={scale} />
      <Bar kind="potential" label={t('potential')} value={live.potential} from={floor} scale={scale} />
      <Bar kind="elastic" label={t('elastic.energy')} value={live.elastic} from={0} scale={scale} />
      <Bar kind="dissipated" label={t('dissipated')} value={live.dissipated} from={0} scale={scale} />
      {live.work !== 0 && <Bar kind="work" label={t('energy.work')} value={live.work} from={0} scale={scale} />}
    </div>
  );
}

export function EnginePanel() {
  const live = store.live.value;
  const description = store.description.value;
  const simulation = simulationOf(store.scene.value);
  const methods = store.info.value?.methods ?? [];
  const method = methods.find(({ name }) => name === description?.method);
  void language.value;
  return (
    <div class="panel">
      <Choice name="method" label={t('method')} value={description?.method ?? 'taylor'} options={methods.map(({ name, order }) => ({ value: name, text: `${name} (${t('order')} ${order})` }))} onChange={actions.chooseMethod} />
      {method && <p class="remark" data-shows="method">{told(`method.${method.name}`, method.summary)}</p>}
      {method?.adaptive ? (
        <Slider name="tolerance" label={t('tolerance')} value={(simulation.tolerance as number | undefined) ?? method.tolerance} min={1e-16} max={1e-2} log typedMin={1e-30} typedMax={0.5} onChange={(tolerance) => actions.changeSimulation({ tolerance })} />
      ) : (
        <Slider name="step" label={t('step')} unit="s" value={(simulation.step as number | undefined) ?? 0.005} min={1e-4} max={0.1} log typedMin={1e-6} typedMax={1} onChange={(step) => actions.changeSimulation({ step })} />
      )}
      <Check name="may-lower" label={t('may-lower')} hint={t('may-lower.hint')} checked={store.mayLower.value} onChange={(on) => (store.mayLower.value = on)} />
      {!actions.isFirstOrder() && <h3>{t('energies')}</h3>}
      {!actions.isFirstOrder() && <EnergyBars />}
      <table class="numbers">
        <tbody>
          {!actions.isFirstOrder() && (
            <>
              <tr>
                <th scope="row">{t('energy')}</th>
                <td>{energyText(live.energy)}</td>
              </tr>
              <tr>
                <th scope="row" title={t('energy.error.hint')}>{t('energy.error')}</th>
                <td data-shows="energy-error">{live.error === 0 ? '0' : live.error.toExponential(2)}</td>
              </tr>
            </>
          )}
          {description?.invariants.map((name) => (
            <tr key={name}>
              <th scope="row">{t('invariant.change', { name })}</th>
              <td data-shows={`invariant-${name}`}>{actions.theLab().value(`${name}_error`).toExponential(2)}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">{t('step.size')}</th>
            <td>{live.step > 0 ? `${live.step.toPrecision(3)} s` : '–'}</td>
          </tr>
          <tr>
            <th scope="row" title={t('cost.hint')}>{t('cost')}</th>
            <td data-shows="cost">{live.cost.toFixed(3)} ms</td>
          </tr>
          <tr>
            <th scope="row">{t('freedom')}</th>
            <td>{description?.degrees_of_freedom ?? 0}</td>
          </tr>
          <tr>
            <th scope="row">{t('settings')}</th>
            <td>{description?.settings}</td>
          </tr>
        </tbody>
      </table>
      {store.raisedTolerance.value !== null && <p class="remark warning">{t('notice.raised', { tolerance: store.raisedTolerance.value.toExponential(0) })}</p>}
      {store.running.value && live.lagging < 0.9 && <p class="remark warning">{t('notice.lagging', { part: Math.round(100 * live.lagging) })}</p>}
      <div class="buttons">
        <Button name="compare-methods" onClick={() => actions.theLab().setGhosts([{ offset: 0, method: 'rk4', step: 0.005 }, { offset: 0, method: 'dopri5', tolerance: 1e-8 }])}>
          {t('compare')}
        </Button>
      </div>
    </div>
  );
}
