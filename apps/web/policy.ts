// The content-security policy of the page: its own script, workers from it, wasm, and nothing else.
export function policy({ script, style, connect }: { script: string; style: string; connect: string }): string {
  return [
    "default-src 'none'",
    `script-src ${script} 'wasm-unsafe-eval'`,
    'worker-src blob:',
    `style-src ${style}`,
    "img-src 'self' data: blob:",
    'media-src blob:',
    `connect-src ${connect}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}
