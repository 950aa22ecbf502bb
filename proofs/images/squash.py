"""A file system that acts as EFS does through an access point: every access is one of user UID, whoever asks.
`squash.py FOLDER MOUNT UID` shows FOLDER at MOUNT until it is unmounted."""

import os
import sys
import time

from mfusepy import FUSE, Operations

FIELDS = ('st_atime', 'st_ctime', 'st_gid', 'st_ino', 'st_mode', 'st_mtime', 'st_nlink', 'st_size', 'st_uid', 'st_blocks')
# Of utimensat(2): the time of now, or the time that the file has.
UTIME_NOW, UTIME_OMIT = 2**30 - 1, 2**30 - 2


class Squash(Operations):
    """Each method is the system call of its name. The kernel leaves the check of permissions to these calls."""

    use_ns = True

    def __init__(self, folder, uid):
        self.folder, self.uid = folder, uid

    def init(self, path):
        # From here on, a path in the mounted file system is the same path in FOLDER.
        os.chroot(self.folder)
        os.umask(0)
        os.setgroups([])
        os.setresgid(self.uid, self.uid, self.uid)
        os.setresuid(self.uid, self.uid, self.uid)

    def getattr(self, path, fh=None):
        found = os.fstat(fh) if fh is not None else os.lstat(path)
        return {name: getattr(found, name) for name in FIELDS} | {
            f'st_{name}time': getattr(found, f'st_{name}time_ns') for name in 'acm'
        }

    def access(self, path, amode):
        if not os.access(path, amode):
            raise PermissionError(13, 'Permission denied')

    def create(self, path, mode, fi=None):
        return os.open(path, os.O_RDWR | os.O_CREAT, mode)

    def open(self, path, flags):
        return os.open(path, flags & ~(os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW))

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(path if fh is None else fh, length)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def release(self, path, fh):
        os.close(fh)

    def readdir(self, path, fh):
        inside = [(name, self.getattr(os.path.join(path, name)), 0) for name in os.listdir(path)]
        return [(name, self.getattr(path), 0) for name in ('.', '..')] + inside

    def chmod(self, path, mode):
        os.chmod(path, mode)

    def chown(self, path, uid, gid):
        # -1 and 2^32 - 1 are the same number to the system, not to Python.
        os.chown(path, *(-1 if number == 2**32 - 1 else number for number in (uid, gid)), follow_symlinks=False)

    def utimens(self, path, times=None):
        found = os.lstat(path)
        kept = (found.st_atime_ns, found.st_mtime_ns)
        ns = tuple({UTIME_NOW: time.time_ns(), UTIME_OMIT: own}.get(at, at) for at, own in zip(times, kept))
        os.utime(path, ns=ns, follow_symlinks=False)

    def link(self, target, source):
        os.link(source, target, follow_symlinks=False)

    def symlink(self, target, source):
        os.symlink(source, target)

    def rename(self, old, new):
        os.rename(old, new)

    def statfs(self, path):
        found = os.statvfs(path)
        return {name: getattr(found, name) for name in dir(found) if name.startswith('f_')}

    def readlink(self, path):
        return os.readlink(path)

    def mkdir(self, path, mode):
        os.mkdir(path, mode)

    def mknod(self, path, mode, dev):
        os.mknod(path, mode, dev)

    def rmdir(self, path):
        os.rmdir(path)

    def unlink(self, path):
        os.unlink(path)


_, folder, mount, uid = sys.argv
FUSE(Squash(folder, int(uid)), mount, foreground=True, nothreads=True, allow_other=True, use_ino=True, attr_timeout=0)
