import { defineConfig } from 'vitest/config';
import { aliases } from './paths.ts';

// What is waited for comes, however busy the machine is; limits are for what never comes.
export default defineConfig({
  resolve: { alias: aliases },
  test: { include: ['tests/**/*.test.ts'], reporters: ['verbose'], testTimeout: 900_000, hookTimeout: 900_000, fileParallelism: false, expect: { poll: { timeout: 250_000 } } },
});
