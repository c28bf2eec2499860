// Each link by itself: length, mass, angles.
import * as actions from '../actions';
import type { Json } from '../engine/protocol';
import { chainsOf, sceneFromHere } from '../scene/document';
import * as store from '../store';
import { t } from '../texts';
import { numberFrom, Typed } from './controls';

type Table = { [key: string]: Json };
const mostShown = 30;
const degrees = 180 / Math.PI;

// One entry per link, so that one of them can be other than its neighbours. The motion goes on; a reset goes back to
// where it was edited.
function editLink(c: number, k: number, key: string, value: number) {
  const { layout, row } = actions.theLab();
  return actions.theLab().edit((doc) => {
    Object.assign(doc, sceneFromHere(doc, store.description.value!, layout, row));
    (chainsOf(doc)[c]!.links as Table[])[k]![key] = value;
  }, { quiet: true });
}

async function turnLink(c: number, k: number, theta: number, phi: number) {
  const lab = actions.theLab();
  await lab.stop();
  const doc = sceneFromHere(store.scene.value, store.description.value!, lab.layout, lab.row);
  const link = (chainsOf(doc)[c]!.links as Table[])[k]!;
  delete link.direction;
  delete link.rate;
  link.theta = `${theta} deg`;
  if (phi) link.phi = `${phi} deg`;
  for (const other of chainsOf(doc)[c]!.links as Table[]) delete other.rate;
  await lab.loadDocument(doc, store.presetName.value || 'chain');
}

function Cell(props: { label: string; value: number; name: string; onChange(value: number): Promise<string[] | null | void> }) {
  const commit = async (text: string) => {
    const typed = numberFrom(text);
    return 'mistake' in typed ? typed.mistake : ((await props.onChange(typed.value)) ?? []).join(' ');
  };
  return (
    <td>
      <Typed data-typed={props.name} aria-label={props.label} value={String(Number(props.value.toPrecision(6)))} onCommit={commit} />
    </td>
  );
}

export function LinksPanel() {
  const description = store.description.value;
  void store.live.value; // angles follow the motion
  if (!description) return null;
  const { layout, row } = actions.theLab();
  return (
    <div class="panel">
      <p class="lead">{t(description.chains.length ? 'links.lead' : actions.isFirstOrder() ? 'equations.note' : actions.isByFormulas() ? 'lagrangian.note' : 'links.none')}</p>
      {description.chains.map((chain, c) => {
        const [theta, phi] = [layout.of('theta', chain), layout.of('phi', chain)];
        return (
          <table class="links" key={c}>
            <thead>
              <tr>
                <th scope="col">#</th>
                <th scope="col">{t('length')}</th>
                <th scope="col">{t('mass')}</th>
                <th scope="col">θ [°]</th>
                <th scope="col">φ [°]</th>
              </tr>
            </thead>
            <tbody>
              {chain.length.slice(0, mostShown).map((length, k) => {
                const label = (what: string) => `${what}, ${t('link')} ${k + 1}`;
                return (
                  <tr key={k}>
                    <th scope="row">{k + 1}</th>
                    <Cell name={`length-${k + 1}`} label={label(t('length'))} value={length} onChange={(value) => editLink(c, k, 'length', value)} />
                    <Cell name={`mass-${k + 1}`} label={label(t('mass'))} value={chain.mass[k]!} onChange={(value) => editLink(c, k, 'mass', value)} />
                    <Cell name={`theta-${k + 1}`} label={label('theta')} value={Math.round(row[theta + k]! * degrees * 100) / 100} onChange={(value) => turnLink(c, k, value, chain.planar ? chain.azimuth * degrees : row[phi + k]! * degrees)} />
                    <Cell name={`phi-${k + 1}`} label={label('phi')} value={Math.round((row[phi + k] ?? 0) * degrees * 100) / 100} onChange={(value) => turnLink(c, k, row[theta + k]! * degrees, value)} />
                  </tr>
                );
              })}
            </tbody>
          </table>
        );
      })}
    </div>
  );
}
