// A recorded run has its own controls: nothing of the chain behind it.
import * as actions from '../actions';
import { closeTrajectory, trajectory } from '../files/trajectory';
import * as store from '../store';
import { t } from '../texts';
import { Button, Check, Slider } from './controls';
import { OpenFile, PictureAndFilm } from './files';

export function RunPanel() {
  const run = trajectory.value!;
  const last = run.times.length - 1;
  return (
    <div class="panel" data-shows="run-panel">
      <h2>{run.name}</h2>
      <table class="numbers">
        <tbody>
          <tr><th scope="row">{t('run.rows')}</th><td>{run.times.length}</td></tr>
          <tr><th scope="row">{t('run.from')}</th><td>{Number(run.times[0]!.toPrecision(6))} s</td></tr>
          <tr><th scope="row">{t('run.to')}</th><td>{Number(run.times[last]!.toPrecision(6))} s</td></tr>
          <tr><th scope="row">{t('run.columns')}</th><td>{run.layout.width}</td></tr>
        </tbody>
      </table>
      <Slider name="speed" label={t('speed')} unit="×" value={store.speed.value} min={0.1} max={5} step={0.1} typedMin={actions.slowest} typedMax={10} hint={t('speed.hint')} onChange={actions.setSpeed} />
      <Check name="trace" label={t('trace')} checked={store.trace.value} onChange={actions.setTrace} />
      <div class="buttons">
        <PictureAndFilm />
        <OpenFile />
        <Button name="leave-run" class="button strong" onClick={closeTrajectory}>{t('trajectory.close')}</Button>
      </div>
    </div>
  );
}
