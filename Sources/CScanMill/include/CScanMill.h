// All code of ScanMill that touches a C library, Nettle's digests apart, and the kernels. Functions with a `message`
// return 0, or another number after leaving one line of text in it (SM_MESSAGE bytes, always terminated). setjmp, longjmp
// and variadic functions stay in here.
#ifndef CSCANMILL_H
#define CSCANMILL_H

#include <stddef.h>
#include <stdint.h>

#define SM_MESSAGE 200

#include "deflate.h"
#include "exr.h"
#include "jpeg.h"
#include "kernels.h"
#include "lz4_block.h"
#include "lzfse.h"
#include "png_decode.h"
#include "png_encode.h"
#include "sharpness.h"
#include "shift_codec.h"
#include "yuv.h"
#include "zip_archive.h"

#endif
