#include "CScanMill.h"
