// Words in the person's language. Each language is one JSON file beside this one; a missing text falls back to
// English. What the engine describes itself is in a file of its own, by name.
import { kept } from '../kept';
import { signal } from '@preact/signals';
import en from './en.json';
import ja from './ja.json';
import jaEngine from './ja.engine.json';

export const languages: Record<string, { name: string; texts: Record<string, string> }> = {
  en: { name: 'English', texts: en },
  ja: { name: '日本語', texts: { ...ja, ...jaEngine } },
};

export const language = signal('en');

export function t(key: string, values: Record<string, string | number> = {}): string {
  const text = languages[language.value]?.texts[key] ?? (en as Record<string, string>)[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

// What scenes and the engine say in English themselves: of methods, laws, fields and shipped scenes.
export function told(key: string, english: string): string {
  return languages[language.value]?.texts[key] ?? english;
}

export function preferredLanguage(): string {
  const stored = kept('language');
  if (stored && languages[stored]) return stored;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => languages[tag]) ?? 'en';
}
