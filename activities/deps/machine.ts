import type { Room } from '../../domain/room.ts';

/** This machine, as far as activities ask for it. */
export interface Machine {
  /** Free space where state and runs are kept. */
  freeDisk: () => Promise<Room>;
  environment: Readonly<Record<string, string | undefined>>;
  sha256: (text: string) => string;
}
