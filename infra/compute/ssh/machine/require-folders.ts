import { HostUnusableError } from '../../../compute.ts';
import type { Link } from '../channel/link.ts';

/** Throws where one of these is no folder of the host. */
export async function requireFolders(link: Link, readable: readonly string[]): Promise<void> {
  if (readable.length === 0) return;
  const frames = await link.ask({ verb: 'where', words: [...readable] });
  const isFolder = (index: number): boolean => !['absent', 'file'].includes(frames[index]?.words[0] ?? '');
  const others = readable.filter((_, index) => !isFolder(index));
  if (others.length > 0)
    throw new HostUnusableError(
      link.host,
      `readable: expected the folder ${others.join(', ')}; mount or make it, or take it out of the fleet.yaml`,
    );
}
