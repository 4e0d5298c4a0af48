/** Temporal's client for `import()`: the bundler gives the exports of a CommonJS package only to static imports. */
export { Client, Connection } from '@temporalio/client';
