// The scenes that come with the program.
const files = import.meta.glob<string>('../../../scenes/*.toml', { query: '?raw', import: 'default', eager: true });

export interface Preset {
  name: string;
  text: string;
  summary: string;
}

// The first sentence of the comment that a scene begins with.
function summaryOf(text: string): string {
  const comment: string[] = [];
  for (const line of text.split('\n')) {
    if (!line.startsWith('#')) break;
    comment.push(line.slice(1).trim());
  }
  return /^.*?(?<!\b[A-Z])\.(?= |$)/.exec(comment.join(' '))?.[0] ?? comment.join(' '); // "R. Bricard" ends no sentence
}

export const presets: Preset[] = Object.entries(files)
  .map(([path, text]) => ({ name: path.replace(/^.*\//, '').replace('.toml', ''), text, summary: summaryOf(text) }))
  .sort((a, b) => a.name.localeCompare(b.name));
