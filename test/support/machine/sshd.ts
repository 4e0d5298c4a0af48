export * from '../../../bench/support/sshd.ts';
