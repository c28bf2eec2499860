// How it works: the equations of what is on the screen, and why some methods fail.
import type { ComponentChildren } from 'preact';
import * as actions from '../actions';
import { isElastic } from '../scene/document';
import * as store from '../store';
import { t } from '../texts';
import { startTour } from '../tour';
import { Button } from './controls';
import { LessonList } from './lesson';
import { SceneEquations } from './equations';

// "m_k a_k" with what follows _ and ^ lowered and raised; {..} keeps several characters together.
export function Equation({ text }: { text: string }) {
  const parts: ComponentChildren[] = [];
  const pattern = /([_^])(?:\{([^}]*)\}|(\S))/g;
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(at, match.index));
    const inside = match[2] ?? match[3];
    parts.push(match[1] === '_' ? <sub>{inside}</sub> : <sup>{inside}</sup>);
    at = match.index + match[0].length;
  }
  parts.push(text.slice(at));
  return <p class="equation">{parts}</p>;
}

const rigid = ['m_k a_k = F_k + T_{k+1} u_{k+1} − T_k u_k', 'L_k u″_k = a_k − a_{k−1} ,   |u_k| = 1', 'u_k · (a_k − a_{k−1}) = −L_k |u′_k|^2'];
const lagrangian = ['(∂L/∂q′)′ − ∂L/∂q = Q − ∂D/∂q′ + G^T λ', 'g(q, t) = 0 ,   G = ∂g/∂q'];
const bodies = ['M v′ = f + J^T λ', 'J v = c', 'J_0 v_{k+1} = c_{k+1} − J_1 v_k − J_2 v_{k−1} − …'];
const elastic = ['T_k = c_k (r_k − L_k)', 'm_k a_k = F_k + T_{k+1} u_{k+1} − T_k u_k'];

export function LearnPanel() {
  const kind = actions.isFirstOrder() ? 'equations' : actions.isByFormulas() ? 'lagrangian' : !actions.hasChains() ? 'bodies' : isElastic(store.scene.value) ? 'elastic' : 'rigid';
  const equations = { equations: ['x′ = f(x, t)'], lagrangian, bodies, elastic, rigid }[kind];
  const method = store.description.value?.method ?? 'taylor';
  return (
    <div class="panel learn">
      <h2>{t('how')}</h2>
      <div class="buttons">
        <Button name="tour" class="button strong" onClick={startTour}>{t('tour.start')}</Button>
      </div>
      <LessonList />
      <h3>{t(`how.${kind}`)}</h3>
      <SceneEquations general={equations.map((text) => <Equation key={text} text={text} />)} />
      <p>{t(`how.${kind}.text`)}</p>
      <h3>{t('how.taylor')}</h3>
      <Equation text="x(t + h) = x_0 + x_1 h + x_2 h^2 + … + x_p h^p" />
      <p>{t('how.taylor.text')}</p>
      <h3>{t('how.euler')}</h3>
      <Equation text="x_{n+1} = x_n + h x′_n" />
      <p>{t('how.euler.text')}</p>
      <Equation text="E_{n+1} ≈ (1 + h^2 ω^2) E_n" />
      <div class="buttons">
        <Button name="explode" class="button warn" onClick={actions.explode}>{t('how.explode')}</Button>
        <Button name="heal" disabled={method === 'taylor'} onClick={actions.heal}>{t('how.heal')}</Button>
      </div>
      <h3>{t('how.rk4')}</h3>
      <p>{t('how.rk4.text')}</p>
    </div>
  );
}
