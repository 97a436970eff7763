"""Records of TensorBoard's event files, written by hand: no library is needed."""
import struct

TABLE = []
for number in range(256):
    for _ in range(8):
        number = (number >> 1) ^ (0x82F63B78 if number & 1 else 0)
    TABLE.append(number)


def masked_crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ TABLE[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def record(message):
    length = struct.pack("<Q", len(message))
    return (length + struct.pack("<I", masked_crc32c(length)) + message +
            struct.pack("<I", masked_crc32c(message)))


def field(key, data):
    return bytes([key, len(data)]) + data


def scalar_record(step, tag, value):
    """An Event with a simple_value; step and lengths are below 128."""
    summary_value = field(0x0A, tag.encode()) + b"\x15" + struct.pack("<f", value)
    return record(b"\x09" + struct.pack("<d", 1.0) + bytes([0x10, step]) +
                  field(0x2A, field(0x0A, summary_value)))


def varint(data, at):
    """The number, and where it ends."""
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            return number, at


def fields_of(message):
    """The values of a protocol buffer's fields by their numbers: bytes, integers, doubles."""
    found, at = {}, 0
    while at < len(message):
        key, at = varint(message, at)
        if key & 7 == 0:
            value, at = varint(message, at)
        elif key & 7 == 1:
            (value,), at = struct.unpack_from("<d", message, at), at + 8
        elif key & 7 == 5:
            (value,), at = struct.unpack_from("<f", message, at), at + 4
        else:
            size, at = varint(message, at)
            value, at = message[at:at + size], at + size
        found.setdefault(key >> 3, []).append(value)
    return found
