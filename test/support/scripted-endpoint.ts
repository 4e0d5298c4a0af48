export * from '../../bench/support/scripted-endpoint.ts';
