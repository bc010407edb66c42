import { configDefaults, defineConfig } from 'vitest/config';
import { leftOut } from '#test/browser/support/left-out.ts';
import { operationLeftOut } from '#test/operation/left-out.ts';

export default defineConfig({
  test: {
    // Files share what their worker has loaded: loading it is a quarter of the time otherwise.
    isolate: false,
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...leftOut(), ...operationLeftOut()],
    globalSetup: ['test/support/global-setup.ts'],
    // What is waited for comes soon; machines may be busy.
    expect: { poll: { interval: 20, timeout: 10_000 } },
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
