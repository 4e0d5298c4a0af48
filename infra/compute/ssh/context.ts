import type { RunEnd } from '../../compute.ts';
import type { RunHost } from '../run-protocol/run-host.ts';
import { parseEnd } from '../run-protocol/ending/parse-end.ts';
import type { ReadPathInfo } from '../run-protocol/sandbox-mounts.ts';
import type { ToolHost } from '../tools/tool-host.ts';
import type { Frame } from './channel/frames.ts';
import type { Link } from './channel/link.ts';

/** What all verbs of the SSH adapter share. */
export interface SshContext extends RunHost {
  link: Link;
  /** Folders that sandboxed runs see besides the system's; those that are there. */
  show(): Promise<string[]>;
  /** Masked wherever the sandbox would show them. */
  hide(): Promise<string[]>;
  readPathInfo: ReadPathInfo;
  /** The host, asked for its programs. */
  tools: ToolHost;
  /** Workspaces that were seen on the host, and until when that is believed: a launch that finds none says so. */
  staged: Map<string, number>;
  /** For how many seconds run directories, and up to how many kB stages, are kept there when nobody asks for them. */
  keep: [seconds: number, kilobytes: number];
}

/** The end in an `end` frame: the supervisor's last words, and the bytes of the output. */
export function endInFrames(frames: Frame[]): RunEnd | undefined {
  const frame = frames.find(({ type }) => type === 'end');
  return frame && parseEnd(frame.payload.toString('utf8'), Number(frame.words[0]));
}

/** Whether the host of an `end` frame was booted since the run began. */
export const isRebooted = (frames: Frame[]): boolean =>
  frames.find(({ type }) => type === 'end')?.words[1] === 'rebooted';

/** The end in an `ended` frame of the follower. */
export const endOfFrame = ({ payload, words }: Frame): RunEnd | undefined =>
  parseEnd(payload.toString('utf8'), Number(words[1]));

/** A user of the host as a word for its script. */
export const uidArgument = (uid: number | null): string => (uid === null ? '-' : String(uid));
