// All plots, side by side.
import { useEffect } from 'preact/hooks';
import { effect } from '@preact/signals';
import * as actions from '../actions';
import { trajectory } from '../files/trajectory';
import { Button, Icon } from '../panels/controls';
import * as store from '../store';
import { t } from '../texts';
import { learnColumns, stems } from './columns';
import { add, change, keptColumns, mainColumns, mainKind, mostPanels, openSettings, panels, wanted, type Panel, type What } from './panels';
import { captionOf, Plot, watchedColumns } from './plot';

// Quantities over time that are at hand without looking for them.
function Tabs({ panel }: { panel: Panel }) {
  const offered: What[] = ['angles'];
  if (keptColumns().length) offered.push('error');
  if (store.ghosts.value.length && !trajectory.value) offered.push('divergence');
  const shown = offered.includes(panel.what) ? panel.what : 'angles';
  return (
    <div class="segment small" role="group" aria-label={t('plots')}>
      {offered.map((one) => (
        <Button key={one} name={`plot-${one}`} class="" pressed={one === shown} onClick={() => change(panel.id, { what: one, kind: 'value', log: one === 'divergence', xRange: null, yRange: null })}>{t(`plot.${one === 'angles' ? mainKind() : one === 'error' && mainKind() === 'states' ? 'kept' : one}`)}</Button>
      ))}
    </div>
  );
}

// The engine is told which columns are plotted, and asked which there are, whenever that may have changed.
function listenForColumns(): () => void {
  let scene = '';
  return effect(() => {
    const description = store.description.value;
    void trajectory.value;
    void store.ghosts.value;
    const watched = description ? watchedColumns() : [];
    if (!description) return;
    const shape = JSON.stringify([description.columns, description.name]);
    if (shape !== scene) {
      scene = shape;
      void learnColumns(false);
    }
    void actions.theLab().past.watch(watched);
  });
}

export function Plots() {
  useEffect(listenForColumns, []);
  void stems.value;
  const kind = mainKind();
  const single = !!store.description.value && mainColumns().length <= 1;
  const portrait = (what: What) => t(kind !== 'angles' ? `plot.${kind}.${what === 'adjacent' && single ? 'phase' : what}` : what === 'adjacent' && single ? 'plot.single' : `plot.${what}`);
  const title = ({ what }: Panel, caption: string) => (what === 'columns' ? caption : t(`plot.${what === 'angles' ? kind : what === 'error' && kind === 'states' ? 'kept' : kind === 'states' && what !== 'divergence' ? 'states.phase' : what === 'adjacent' && single ? 'phase' : what}.title`));
  return (
    <section class="plots" aria-label={t('plots')}>
      <h2 class="unseen">{t('plots')}</h2>
      {panels.value.map((panel) => {
        const automatic = panel.what !== 'columns' && panel.kind === 'value';
        const caption = automatic && (panel.what === 'phase' || panel.what === 'adjacent') ? portrait(panel.what) : captionOf(panel);
        const tabs = automatic && ['angles', 'error', 'divergence'].includes(panel.what);
        return (
          <Plot key={panel.id} panel={panel} caption={caption} title={title(panel, caption)}>
            {tabs ? <Tabs panel={panel} /> : undefined}
          </Plot>
        );
      })}
      {panels.value.length < mostPanels && (
        <Button name="plot-add" class="icon add-plot" title={t('plot.new')} onClick={() => (openSettings.value = wanted.value = add())}><Icon name="plus" /></Button>
      )}
    </section>
  );
}
