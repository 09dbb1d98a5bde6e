#include "program.h"

int main(int argc, char** argv) { return strew::app::run_program(argc, argv); }
