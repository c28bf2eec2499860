// Other motions beside the one looked at: nearby starts, other methods.
import * as actions from '../actions';
import * as tools from '../chaos/tools';
import type { Ghost } from '../engine/protocol';
import * as store from '../store';
import { t } from '../texts';
import { energyText } from './chain';
import { Button, Choice, Slider } from './controls';

function change(index: number, values: Partial<Ghost>) {
  const ghosts = store.ghosts.value.map((ghost, i) => (i === index ? { ...ghost, ...values } : ghost));
  return actions.theLab().setGhosts(ghosts);
}

function chooseMethod(index: number, name: string) {
  const method = store.info.value!.methods.find((one) => one.name === name);
  const plain: Ghost = { offset: store.ghosts.value[index]!.offset, method: name };
  if (method && !method.adaptive) plain.step = 0.005;
  if (method?.adaptive) plain.tolerance = Math.max(method.tolerance, 1e-12);
  const ghosts = store.ghosts.value.map((ghost, i) => (i === index ? plain : ghost));
  return actions.theLab().setGhosts(ghosts);
}

function Meter({ part }: { part: number }) {
  const percent = Math.min(100, 100 * part);
  return (
    <div class="meter" role="meter" aria-label={t('divergence')} aria-valuemin={0} aria-valuemax={100} aria-valuenow={Math.round(percent)} data-shows="divergence">
      <div class="fill" style={{ width: `${percent}%` }} />
      <span>{percent < 0.1 && percent > 0 ? percent.toExponential(1) : percent.toFixed(1)} %</span>
    </div>
  );
}

const judged = 60; // s

// What an indicator says of a ghost, in the colour that it has on the stage.
function Indicator({ index }: { index: number }) {
  const one = tools.ghosts.found.value[index];
  if (!one) return null;
  return (
    <div class="label-row" data-shows={`ghost-indicator-${index}`} title={one.reason}>
      <span><span class="swatch" style={{ background: tools.indicatorColor(one) ?? 'none' }} /> MEGNO {one.value === null ? '–' : one.value.toFixed(2)}</span>
      <span>{t(`ghost.${one.verdict}`)}</span>
    </div>
  );
}

function OneGhost({ ghost, index }: { ghost: Ghost; index: number }) {
  const live = store.live.value.ghosts[index];
  const methods = store.info.value?.methods ?? [];
  return (
    <fieldset class="ghost">
      <legend>{t('ghost.number', { number: index + 1 })}</legend>
      <Slider name={`offset-${index}`} label={t(actions.isByFormulas() ? 'ghost.offset.formulas' : 'ghost.offset')} unit={actions.isByFormulas() ? '' : 'rad'} value={ghost.offset} min={1e-12} max={1} log zero typedMin={0} typedMax={3.1} onChange={(offset) => change(index, { offset })} />
      <Choice name={`ghost-method-${index}`} label={t('method')} value={ghost.method} options={[{ value: '', text: t('ghost.same') }, ...methods.map(({ name }) => ({ value: name, text: name }))]} onChange={(name) => chooseMethod(index, name)} />
      {ghost.step !== undefined && <Slider name={`ghost-step-${index}`} label={t('step')} unit="s" value={ghost.step} min={1e-4} max={0.1} log typedMin={1e-6} typedMax={1} onChange={(step) => change(index, { step })} />}
      <div class="label-row">
        <span>{t('divergence')}</span>
        {live?.growth != null && <span title={t('growth.hint')}>{t('growth', { rate: live.growth.toFixed(2) })}</span>}
      </div>
      <Indicator index={index} />
      {live?.failed ? <p class="remark">{t('ghost.failed')}</p> : <Meter part={live?.distance ?? 0} />}
      {!actions.isFirstOrder() && <table class="numbers">
        <tbody>
          <tr>
            <th scope="row">{t('energy.own')}</th>
            <td>{energyText(store.live.value.energy)}</td>
          </tr>
          <tr>
            <th scope="row">{t('energy.ghost')}</th>
            <td>{live && !live.failed ? energyText(live.energy) : '–'}</td>
          </tr>
        </tbody>
      </table>}
      <Button name={`remove-ghost-${index}`} class="button quiet" onClick={() => actions.theLab().setGhosts(store.ghosts.value.filter((_, i) => i !== index))}>
        {t('ghost.remove')}
      </Button>
    </fieldset>
  );
}

export function GhostPanel() {
  const ghosts = store.ghosts.value;
  const { work } = tools.ghosts;
  const add = (ghost: Ghost) => actions.theLab().setGhosts([...ghosts, ghost]);
  return (
    <div class="panel">
      <p class="lead">{t('ghost.lead')}</p>
      {ghosts.map((ghost, index) => (
        <OneGhost key={index} ghost={ghost} index={index} />
      ))}
      <div class="buttons">
        <Button name="add-ghost" disabled={ghosts.length >= 5} onClick={() => add({ offset: 1e-3 * (ghosts.length + 1), method: '' })}>
          {t('ghost.add')}
        </Button>
        <Button name="add-method-ghost" disabled={ghosts.length >= 5} onClick={() => add({ offset: 0, method: 'rk4', step: 0.005 })}>
          {t('ghost.compare')}
        </Button>
      </div>
      {ghosts.length > 0 && (
        <>
          <Button name="judge-ghosts" onClick={() => (work.running.value ? work.stop() : void tools.judgeGhosts(judged))}>{t(work.running.value ? 'chaos.stop' : 'ghost.judge')}</Button>
          <p class="remark">{t('ghost.judge.text', { seconds: tools.ghosts.found.value.length ? tools.ghosts.time.value.toFixed(0) : judged })}</p>
          {work.refusal.value && <p class="mistake">{work.refusal.value}</p>}
        </>
      )}
    </div>
  );
}
