export * from '../../bench/support/servers.ts';
