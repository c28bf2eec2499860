// Words in the person's language. Each language is one JSON file beside this one; a missing text falls back to
// English.
import { signal } from '@preact/signals';
import en from './en.json';
import ja from './ja.json';

export const languages: Record<string, { name: string; texts: Record<string, string> }> = {
  en: { name: 'English', texts: en },
  ja: { name: '日本語', texts: ja },
};

export const language = signal('en');

export function t(key: string, values: Record<string, string | number> = {}): string {
  const text = languages[language.value]?.texts[key] ?? (en as Record<string, string>)[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

export function preferredLanguage(): string {
  const stored = localStorage.getItem('catena-language');
  if (stored && languages[stored]) return stored;
  return navigator.languages.map((tag) => tag.slice(0, 2)).find((tag) => languages[tag]) ?? 'en';
}
