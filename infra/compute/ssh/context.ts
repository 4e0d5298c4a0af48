import type { RunEnd } from '../../compute.ts';
import type { RunHost } from '../run-protocol/run-host.ts';
import { parseEnd } from '../run-protocol/ending/parse-end.ts';
import type { ReadPathInfo } from '../run-protocol/sandbox-mounts.ts';
import type { ToolHost } from '../tools/tool-host.ts';
import type { Frame } from './channel/frames.ts';
import type { Link } from './channel/link.ts';

/** Context that all verbs of the SSH adapter share. */
export interface SshContext extends RunHost {
  link: Link;
  /** Existing folders that sandboxed runs see besides the system's. */
  show(): Promise<string[]>;
  /** Folders that the sandbox masks wherever it would show them. */
  hide(): Promise<string[]>;
  readPathInfo: ReadPathInfo;
  /** The host, as the checks of its programs use it. */
  tools: ToolHost;
  /**
   * Stages found on the host, each with the time in ms until which it is assumed to exist. A launch without its stage
   * fails.
   */
  staged: Map<string, number>;
  /** Seconds for which the host keeps unused run directories, and kilobytes up to which it keeps unused stages. */
  keepLimits: [seconds: number, kilobytes: number];
}

/** Parses an `end` frame: ended.json, and the size of the output in bytes. Undefined without such a frame. */
export function endInFrames(frames: Frame[]): RunEnd | undefined {
  const frame = frames.find(({ type }) => type === 'end');
  return frame && parseEnd(frame.payload.toString('utf8'), Number(frame.words[0]));
}

/** True if an `end` frame reports that the host was booted since the run began. */
export const isRebooted = (frames: Frame[]): boolean =>
  frames.find(({ type }) => type === 'end')?.words[1] === 'rebooted';

/** Parses an `ended` frame of the follower. */
export const endOfFrame = ({ payload, words }: Frame): RunEnd | undefined =>
  parseEnd(payload.toString('utf8'), Number(words[1]));

/** Formats a uid of the host as an argument of its script. */
export const uidArgument = (uid: number | null): string => (uid === null ? '-' : String(uid));
