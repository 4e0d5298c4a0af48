/** Where the system keeps its programs: the PATH of what is started here, whatever the caller's is. */
export const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
