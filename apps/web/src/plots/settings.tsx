// What a plot shows, and how; and what is seen of it, as a file.
import { useEffect } from 'preact/hooks';
import { paintOn, saveFile, savePng } from '../files/saving';
import { Button, Check, Choice } from '../panels/controls';
import * as store from '../store';
import { t } from '../texts';
import { trajectory } from '../files/trajectory';
import { allColumns, columnOf, learnColumns, stems, titleOf } from './columns';
import { captionOf } from './plot';
import { change, columnsOf, curvesOf, mostColumns, openSettings, panels, remove, type Kind, type Panel } from './panels';
import type { Chart } from './draw';

// Quantities of everything that there is, those of one part together.
function groups(): Map<string, string[]> {
  const out = new Map<string, string[]>();
  for (const { name, label } of allColumns().values()) {
    if (name === 't') continue;
    out.set(label, [...(out.get(label) ?? []), name]);
  }
  return out;
}

function ColumnChoice(props: { name: string; label: string; value: string; first: { value: string; text: string }[]; onChange(name: string): void }) {
  // What is chosen is shown, also where this scene has no such column.
  const known = allColumns().has(props.value) || props.first.some(({ value }) => value === props.value);
  return (
    <label class="control choice">
      <span>{props.label}</span>
      <select data-control={props.name} aria-label={props.label} value={props.value} onChange={(event) => props.onChange(event.currentTarget.value)}>
        {[...props.first, ...(known ? [] : [{ value: props.value, text: titleOf(props.value) }])].map(({ value, text }) => (
          <option key={value} value={value} selected={value === props.value}>{text}</option>
        ))}
        {[...groups()].map(([label, names]) => (
          <optgroup key={label} label={label || t('plot.whole')}>
            {names.map((name) => (
              <option key={name} value={name} selected={name === props.value}>{`${titleOf(name)}${columnOf(name).unit ? ` [${columnOf(name).unit}]` : ''}`}</option>
            ))}
          </optgroup>
        ))}
      </select>
    </label>
  );
}

// What is seen: the points of all curves between the edges of the plot.
export function seenCsv({ lines, x, y }: Chart, xName: string): string {
  const inside = (value: number, [from, to]: [number, number]) => value >= from && value <= to;
  const out = [`# catena ${store.info.value?.version}`, `curve,${xName},value`];
  for (const line of lines) {
    for (let i = 0; i < line.x.length; i++) {
      if (inside(line.x[i]!, x.range) && (inside(line.y[i]!, y.range) || Number.isNaN(line.y[i]!))) out.push(`${JSON.stringify(line.title)},${line.x[i]},${Number.isNaN(line.y[i]!) ? 'nan' : line.y[i]}`);
    }
  }
  return `${out.join('\n')}\n`;
}

export function Settings({ panel, chart, canvas }: { panel: Panel; chart(): Chart | null; canvas(): HTMLCanvasElement }) {
  const { id } = panel;
  useEffect(() => {
    if (!trajectory.value && !stems.value.length) void learnColumns();
  }, []);
  void stems.value;
  // What was chosen by itself is where one's own choice begins.
  const own = (values: Partial<Panel>) => change(id, { what: 'columns', x: panel.what === 'columns' ? panel.x : 't', y: panel.what === 'columns' ? panel.y : columnsOf(panel), xRange: null, yRange: null, ...values });
  const shown = panel.what === 'columns' ? panel.y : columnsOf(panel);
  // Portraits have a column of their own across for each curve.
  const across = panel.what === 'columns' ? [panel.x] : [...new Set(curvesOf(panel).map(({ x }) => x))];
  const time = { value: 't', text: `${t('plot.time')} [s]` };
  const name = (ending: string) => `${store.presetName.value || 'plot'}-${captionOf(panel).replace(/[^\w]+/g, '-').replace(/^-|-$/g, '') || panel.what}.${ending}`;
  const saveCsv = () => {
    const seen = chart();
    if (seen) saveFile(new Blob([seenCsv(seen, panel.kind === 'spectrum' ? 'frequency' : panel.x)], { type: 'text/csv' }), name('csv'));
  };
  const savePicture = () => {
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [canvas().width, canvas().height];
    paintOn(copy, canvas(), getComputedStyle(document.documentElement).getPropertyValue('--card'));
    savePng(copy, name('png'));
  };
  return (
    <div class="plot-settings" role="dialog" aria-label={t('plot.settings')} onKeyDown={(event) => event.key === 'Escape' && (openSettings.value = null)}>
      <ColumnChoice name={`plot-x-${id}`} label={t('plot.across')} value={across.length === 1 ? across[0]! : ''} first={across.length === 1 ? [time] : [{ value: '', text: t('plot.each') }, time]} onChange={(x) => x && own({ x })} />
      <ColumnChoice name={`plot-y-${id}`} label={t('plot.up')} value="" first={[{ value: '', text: t('plot.add') }]} onChange={(y) => y && own({ y: [...new Set([...shown, y])].slice(0, mostColumns) })} />
      <ul class="chosen">
        {shown.slice(0, mostColumns).map((column) => (
          <li key={column}>
            {titleOf(column)}
            <button type="button" data-action={`plot-without-${id}-${column}`} aria-label={t('plot.without', { name: titleOf(column) })} onClick={() => own({ y: shown.filter((other) => other !== column) })}>×</button>
          </li>
        ))}
      </ul>
      <Choice name={`plot-kind-${id}`} label={t('plot.kind')} value={panel.kind} options={(['value', 'rate', 'spectrum'] as Kind[]).map((kind) => ({ value: kind, text: t(`plot.kind.${kind}`) }))} onChange={(kind) => change(id, { kind: kind as Kind, xRange: null, yRange: null })} />
      <Check name={`plot-log-${id}`} label={t('plot.log')} checked={panel.log} onChange={(log) => change(id, { log, yRange: null })} />
      <div class="buttons">
        <Button name={`plot-csv-${id}`} onClick={saveCsv}>{t('plot.csv')}</Button>
        <Button name={`plot-png-${id}`} onClick={savePicture}>{t('plot.png')}</Button>
        {panels.value.length > 1 && <Button name={`plot-remove-${id}`} class="button quiet" onClick={() => remove(id)}>{t('plot.remove')}</Button>}
        <Button name={`plot-close-${id}`} class="button quiet" onClick={() => (openSettings.value = null)}>{t('key.close')}</Button>
      </div>
    </div>
  );
}
