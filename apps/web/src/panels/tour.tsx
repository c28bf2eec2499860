import { useEffect, useRef } from 'preact/hooks';
import * as store from '../store';
import { t } from '../texts';
import { goToStep, steps } from '../tour';
import { Button } from './controls';

export function TourCard() {
  const step = store.tourStep.value;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [step]);
  if (step === null) return null;
  void store.live.value;
  const { key, done } = steps[step]!;
  const isDone = done();
  return (
    <section class="tour" role="dialog" aria-label={t('tour')}>
      <p class="count">{t('tour.count', { step: step + 1, all: steps.length })}</p>
      <h2 ref={heading} tabIndex={-1}>{t(`tour.${key}.title`)}</h2>
      <p>{t(`tour.${key}.text`)}</p>
      <p class={isDone ? 'task done' : 'task'} role="status" data-shows="task">
        {isDone ? '✓ ' : '→ '}
        {t(isDone ? `tour.${key}.done` : `tour.${key}.task`)}
      </p>
      <div class="buttons">
        <Button name="tour-back" disabled={step === 0} onClick={() => goToStep(step - 1)}>{t('tour.back')}</Button>
        {step < steps.length - 1 ? (
          <Button name="tour-next" class="button strong" onClick={() => goToStep(step + 1)}>{t('tour.next')}</Button>
        ) : (
          <Button name="tour-end" class="button strong" onClick={() => goToStep(null)}>{t('tour.end')}</Button>
        )}
        <Button name="tour-close" class="button quiet" onClick={() => goToStep(null)}>{t('tour.close')}</Button>
      </div>
    </section>
  );
}
