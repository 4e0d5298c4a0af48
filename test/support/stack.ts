export * from '../../bench/support/stack.ts';
