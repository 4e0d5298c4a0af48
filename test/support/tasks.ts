export * from '../../bench/support/tasks.ts';
