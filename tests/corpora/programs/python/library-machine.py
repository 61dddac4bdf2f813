"""What a program can learn of the machine below it."""
import errno, math, os, struct, sys

print(sys.maxsize, struct.calcsize("P"), struct.calcsize("l"))
print(hash(2**61), hash(1.5), hash(-1))
try:
    open("/tmp/none")
except OSError as error:
    print(error, error.errno == errno.ENOENT)
print(errno.ENOENT, errno.EEXIST, errno.EACCES)
try:
    2.0 ** 10000
except OverflowError as error:
    print(error)
print(math.cbrt(27), sys.byteorder, sys.float_info.dig)
print(sys.platform, os.name)
