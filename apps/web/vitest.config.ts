import { defineConfig } from 'vitest/config';
import { aliases } from './paths.ts';

export default defineConfig({
  resolve: { alias: aliases },
  test: { include: ['tests/**/*.test.ts'], testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false },
});
