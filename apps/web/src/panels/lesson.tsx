// A page of text with tasks, beside the stage.
import { useEffect, useRef } from 'preact/hooks';
import * as lessons from '../lessons/lessons';
import { t } from '../texts';
import { Button, numberFrom, Typed } from './controls';

function Question({ index }: { index: number }) {
  const commit = (text: string) => {
    const typed = numberFrom(text);
    if ('mistake' in typed) return typed.mistake;
    lessons.answers.value = lessons.answers.value.map((one, i) => (i === index ? typed.value : one));
    lessons.look();
    return lessons.done.value[index] ? null : t('lesson.not-yet');
  };
  const given = lessons.answers.value[index];
  return <Typed data-typed={`answer-${index + 1}`} aria-label={t('lesson.answer')} value={given === null || given === undefined ? '' : String(given)} onCommit={commit} />;
}

export function LessonCard() {
  const at = lessons.lesson.value;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [at?.name, at?.step]);
  useEffect(() => {
    const timer = setInterval(lessons.look, 250);
    return () => clearInterval(timer);
  }, []);
  if (!at) return null;
  const { title, steps } = lessons.lessonOf(at.name);
  const step = steps[at.step]!;
  const last = at.step === steps.length - 1;
  return (
    <section class="tour lesson" role="dialog" aria-label={title} data-shows="lesson">
      <p class="count">{title} · {t('tour.count', { step: at.step + 1, all: steps.length })}</p>
      <h2 ref={heading} tabIndex={-1}>{step.title}</h2>
      {step.paragraphs.map((text) => <p key={text}>{text}</p>)}
      <ul class="tasks">
        {step.tasks.map(({ text, check }, i) => (
          <li key={text} class={lessons.done.value[i] ? 'task done' : 'task'} data-task={i + 1} data-done={lessons.done.value[i] ? 'yes' : 'no'}>
            <span role="status">{lessons.done.value[i] ? '✓ ' : '→ '}{text}</span>
            {check.startsWith('answer') && <Question index={i} />}
          </li>
        ))}
      </ul>
      <div class="buttons">
        <Button name="lesson-back" disabled={at.step === 0} onClick={() => void lessons.goTo(at.name, at.step - 1)}>{t('tour.back')}</Button>
        {last ? <Button name="lesson-end" class="button strong" onClick={() => void lessons.goTo(null)}>{t('tour.end')}</Button> : <Button name="lesson-next" class="button strong" onClick={() => void lessons.goTo(at.name, at.step + 1)}>{t('tour.next')}</Button>}
        <Button name="lesson-close" class="button quiet" onClick={() => void lessons.goTo(null)}>{t('lesson.close')}</Button>
      </div>
    </section>
  );
}

export function LessonList() {
  return (
    <>
      <h3>{t('lessons')}</h3>
      <div class="buttons">
        {lessons.lessonNames.map((name) => <Button key={name} name={`lesson-${name}`} onClick={() => void lessons.goTo(name)}>{lessons.lessonOf(name).title}</Button>)}
      </div>
    </>
  );
}
