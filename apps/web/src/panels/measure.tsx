// Instruments: stopwatch, period, photogate, ruler, protractor, energies, and the gravity of other worlds.
import { useEffect } from 'preact/hooks';
import * as actions from '../actions';
import type { Point } from '../engine/protocol';
import * as meters from '../measure/meters';
import { titleOf } from '../plots/columns';
import { gravityOf } from '../scene/document';
import * as store from '../store';
import { t } from '../texts';
import { Button, Check, Choice, numberFrom, Typed } from './controls';
import { EnergyBars } from './engine';

const seconds = (value: number, digits = 3) => `${value.toFixed(digits)} s`;

function Stopwatch() {
  const watch = meters.stopwatch.value;
  const running = watch !== null && watch.to === null;
  const elapsed = watch ? (watch.to ?? store.live.value.t) - watch.from : 0;
  return (
    <div class="buttons">
      <output class="reading" data-shows="stopwatch">{seconds(Math.max(0, elapsed), 2)}</output>
      <Button name="stopwatch" pressed={running} onClick={meters.toggleStopwatch}>{t(running ? 'measure.stop' : 'measure.start')}</Button>
      <Button name="stopwatch-zero" class="button quiet" onClick={() => (meters.stopwatch.value = null)}>{t('measure.zero')}</Button>
    </div>
  );
}

function Period() {
  const own = meters.column();
  const swing = meters.swing.value;
  if (!own) return <p class="remark">{t('measure.none')}</p>;
  const options = meters.measurable().map(({ value }) => ({ value, text: titleOf(value) }));
  return (
    <>
      <Choice name="measured" label={t('measure.of')} value={own.value} options={options} onChange={(value) => (meters.watched.value = value)} />
      <table class="numbers">
        <tbody>
          <tr><th scope="row">{t('measure.period')}</th><td data-shows="period">{swing ? seconds(swing.period, 6) : '–'}</td></tr>
          <tr><th scope="row">{t('measure.spread')}</th><td>{swing ? `${swing.count > 1 ? `± ${swing.spread.toExponential(1)} s` : '–'} (${swing.count})` : '–'}</td></tr>
          <tr><th scope="row">{t('measure.amplitude')}</th><td data-shows="amplitude">{swing ? Number(swing.amplitude.toPrecision(6)) : '–'}</td></tr>
        </tbody>
      </table>
    </>
  );
}

function Photogate() {
  const gate = meters.gate.value;
  const own = meters.column();
  const passed = meters.passed.value;
  const set = (text: string) => {
    const typed = numberFrom(text);
    if ('mistake' in typed) return typed.mistake;
    meters.gate.value = { ...gate!, level: typed.value };
    return null;
  };
  return (
    <>
      <Check name="gate" label={t('measure.gate')} checked={gate !== null} disabled={!own} onChange={(on) => (meters.gate.value = on ? { column: own!.value, level: 0 } : null)} />
      {gate && (
        <>
          <label class="field short"><span>{titleOf(gate.column)} =</span><Typed data-typed="gate-level" value={String(gate.level)} onCommit={set} /></label>
          <p class="remark" data-shows="gate">{t('measure.passed', { count: passed.length, last: passed.length ? seconds(passed.at(-1)!.t, 6) : '–' })}</p>
          <ol class="times">{passed.slice(-5).map(({ t: time, rising }) => <li key={time}>{rising ? '↑' : '↓'} {seconds(time, 6)}</li>)}</ol>
          <Button name="write-gate" onClick={() => void meters.writeGate()}>{t('measure.gate.write')}</Button>
        </>
      )}
    </>
  );
}

// Around the middle of what is seen.
function around(...offsets: [number, number][]): Point[] {
  const view = actions.theView();
  const { clientWidth: width, clientHeight: height } = view.canvas;
  return offsets.map(([x, y]) => view.under(width / 2 + x * height, height / 2 - y * height, [0, 0, 0]));
}

export function MeasurePanel() {
  useEffect(() => {
    const read = () => void meters.readMeters();
    read();
    const timer = setInterval(read, 500);
    return () => clearInterval(timer);
  }, []);
  const g = gravityOf(store.scene.value);
  const world = meters.planets.find((one) => Math.abs(one.g - g) < 1e-9)?.name ?? '';
  void store.live.value;
  return (
    <div class="panel">
      <h3>{t('measure.stopwatch')}</h3>
      <Stopwatch />
      <h3>{t('measure.meter')}</h3>
      <Period />
      <h3>{t('measure.photogate')}</h3>
      <Photogate />
      <h3>{t('measure.tools')}</h3>
      <div class="checks">
        <Check name="ruler" label={t('measure.ruler')} checked={meters.ruler.value !== null} onChange={(on) => (meters.ruler.value = on ? (around([-0.15, -0.05], [0.15, -0.05]) as [Point, Point]) : null)} />
        <Check name="protractor" label={t('measure.protractor')} checked={meters.protractor.value !== null} onChange={(on) => (meters.protractor.value = on ? (around([0, -0.2], [0, 0.1], [0.2, -0.1]) as [Point, Point, Point]) : null)} />
      </div>
      <h3>{t('energies')}</h3>
      <EnergyBars />
      {!actions.isByFormulas() && (
        <>
          <h3>{t('measure.world')}</h3>
          <Choice name="world" label={t('gravity')} value={world} options={[...(world ? [] : [{ value: '', text: `${Number(g.toPrecision(5))} m/s²` }]), ...meters.planets.map(({ name, g: own }) => ({ value: name, text: `${t(`world.${name}`)}, ${own} m/s²` }))]} onChange={(name) => {
            const chosen = meters.planets.find((one) => one.name === name);
            if (chosen) void actions.changeGravity(chosen.g);
          }} />
        </>
      )}
      <div class="buttons"><Button name="present" onClick={actions.togglePresenting}>{t('measure.present')}</Button></div>
    </div>
  );
}
