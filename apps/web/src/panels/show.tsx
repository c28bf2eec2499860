// What is drawn beside the things themselves: names, axes, arrows, fields, curves of marked points.
import * as actions from '../actions';
import { arrowKinds, type ArrowKind } from '../stage';
import * as store from '../store';
import { t } from '../texts';
import { arrowColor } from '../view/arrows';
import { Button, Check } from './controls';

function setArrow(kind: ArrowKind, on: boolean) {
  const others = store.arrows.value.filter((one) => one !== kind);
  store.arrows.value = on ? [...others, kind] : others;
}

export function ShowPanel() {
  const notes = store.notes.value;
  const dark = store.theme.value === 'dark';
  const bodies = (store.description.value?.bodies.length ?? 0) > 0;
  return (
    <div class="panel">
      <p class="lead">{t('show')}</p>
      <div class="checks">
        <Check name="show-names" label={t('show.names')} checked={notes.names} onChange={(names) => actions.setNotes({ ...notes, names })} />
        <Check name="show-axes" label={t('show.axes')} checked={notes.axes} onChange={(axes) => actions.setNotes({ ...notes, axes })} />
        <Check name="show-fields" label={t('show.fields')} checked={store.showFields.value} onChange={(on) => (store.showFields.value = on)} />
      </div>
      <h3>{t('show.arrows')}</h3>
      <div class="checks column">
        {(Object.keys(arrowKinds) as ArrowKind[]).map((kind) => (
          <span class="keyed" key={kind}>
            <svg viewBox="0 0 24 10" width="24" height="10" aria-hidden="true">
              <path d="M0 4h15V0l9 5-9 5V6H0z" fill={arrowColor(kind, dark)} />
            </svg>
            <Check name={`arrow-${kind}`} label={`${t(`arrow.${kind}`)} [${arrowKinds[kind].unit}]`} checked={store.arrows.value.includes(kind)} onChange={(on) => setArrow(kind, on)} />
          </span>
        ))}
      </div>
      <p class="remark">{t('show.arrows.text')}</p>
      <h3>{t('show.curves')}</h3>
      <p class="remark">{t(bodies ? 'show.curves.text' : 'show.curves.none')}</p>
      <div class="buttons">
        <Button name="mark" pressed={store.marking.value} disabled={!bodies} onClick={() => (store.marking.value = !store.marking.value)}>{t('show.mark')}</Button>
        <Button name="unmark" disabled={store.marks.value === 0} onClick={actions.removeMarks}>{t('show.unmark')}</Button>
      </div>
    </div>
  );
}
