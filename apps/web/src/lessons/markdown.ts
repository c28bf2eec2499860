// Lessons as small Markdown files: a title, steps as second headings, paragraphs, a scene in a fence, and tasks as a list of boxes with
// what makes each of them done in backticks.
export interface Task {
  text: string;
  check: string;
}

export interface Step {
  title: string;
  paragraphs: string[];
  scene: string; // TOML; '': the one before goes on
  tasks: Task[];
}

export interface Lesson {
  title: string;
  steps: Step[];
}

export function lessonFrom(markdown: string): Lesson {
  const lesson: Lesson = { title: '', steps: [] };
  let fence: string[] | null = null;
  let paragraph: string[] = [];
  const step = () => lesson.steps.at(-1);
  const finish = () => {
    if (paragraph.length) step()?.paragraphs.push(paragraph.join(' '));
    paragraph = [];
  };
  for (const line of markdown.split('\n')) {
    const text = line.trim();
    if (text.startsWith('```')) {
      if (fence) step()!.scene = `${fence.join('\n')}\n`;
      fence = fence ? null : [];
      finish();
    } else if (fence) fence.push(line);
    else if (text.startsWith('## ')) {
      finish();
      lesson.steps.push({ title: text.slice(3), paragraphs: [], scene: '', tasks: [] });
    } else if (text.startsWith('# ')) lesson.title = text.slice(2);
    else if (text.startsWith('- [ ] ')) {
      finish();
      const [, words = '', check = ''] = /^- \[ \] (.*?)\s*(?:`([^`]*)`)?$/.exec(text) ?? [];
      step()?.tasks.push({ text: words, check });
    } else if (text === '') finish();
    else paragraph.push(text);
  }
  finish();
  return lesson;
}

// "time > 3", "method = euler", "answer 2.006 0.02": what is compared, with what. `known`: what there is to know.
export function isDone(check: string, known: Record<string, number | string | undefined>, answer: number | null): boolean {
  const answered = /^answer\s+(\S+)\s+(\S+)$/.exec(check);
  if (answered) return answer !== null && Math.abs(answer - Number(answered[1])) <= Number(answered[2]);
  const compared = /^([\w-]+)\s*(<|>|=)\s*(\S+)$/.exec(check);
  if (!compared) return false;
  const value = known[compared[1]!];
  if (value === undefined) return false;
  if (compared[2] === '=') return String(value) === compared[3] || Number(value) === Number(compared[3]);
  return compared[2] === '>' ? Number(value) > Number(compared[3]) : Number(value) < Number(compared[3]);
}
